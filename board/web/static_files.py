"""The files browsers fetch, under names that change with what is in them."""

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """The storage of production: hashed names in the imports of scripts too, and a compressed copy of every file.

    A module is one module only if everybody asks for it by the same name; so imports must not form a circle, whose
    hashes would never come to rest.
    """

    support_js_module_import_aggregation = True
    max_post_process_passes = 10  # the longest chain of imports may be this long
