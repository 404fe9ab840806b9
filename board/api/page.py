"""The page of the API: every address of it, in words, beside the OpenAPI description that programs read."""

from django.http import HttpResponse
from django.shortcuts import render

from board.api.endpoints import api
from board.web.http import Request


def index(request: Request) -> HttpResponse:
    """Every operation with what goes in and what comes out, from the OpenAPI description itself."""
    described = api.get_openapi_schema(path_prefix="/api/")
    shapes = described.get("components", {}).get("schemas", {})
    operations = [
        {
            "method": method.upper(),
            "path": path,
            "summary": operation.get("summary", ""),
            "parameters": operation.get("parameters", []),
            "body": _shape(operation.get("requestBody", {}), shapes),
            "answers": sorted(operation.get("responses", {})),
        }
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    return render(request, "api/index.html", {"operations": operations})


def _shape(body: dict[str, object], shapes: dict[str, dict[str, object]]) -> list[dict[str, object]]:
    """The fields of a request's body: name, kind, whether it must be there, and what it is for."""
    text = str(body)
    found = next((shape for name, shape in shapes.items() if f"schemas/{name}'" in text), {})
    fields = found.get("properties", {})
    needed = found.get("required", [])
    if not isinstance(fields, dict) or not isinstance(needed, list):
        return []
    return [
        {"name": name, "kind": _kind(field), "needed": name in needed, "about": field.get("description", "")}
        for name, field in fields.items()
    ]


def _kind(field: dict[str, object]) -> str:
    if "enum" in field and isinstance(field["enum"], list):
        return " or ".join(map(str, field["enum"]))
    options = field.get("anyOf")
    if isinstance(options, list):
        return " or ".join(_kind(option) for option in options)
    return str(field.get("type", "object"))
