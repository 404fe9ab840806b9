"""The API for other systems: the same reading, the same rights, the same services as the board."""

from __future__ import annotations

import json
import re
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Status

from board.accounts.permissions import actor_for, may_view
from board.api.schemas import (
    ActIn,
    Error,
    EventOut,
    EventsOut,
    Head,
    InstanceOut,
    MessageIn,
    MessageOut,
    ProcessOut,
    StartIn,
)
from board.api.tokens import Bearer, Ended
from board.log.base import Position
from board.process.definition.table import ElementError, ElementList
from board.process.engine.decide import Refusal
from board.process.engine.events import INSTANCE
from board.process.engine.instance import Instance
from board.process.flow.flow import compile_flow
from board.selectors import current
from board.selectors.instance.as_json import head_of, record
from board.selectors.summaries import all_of
from board.services import instances
from board.services.inbox import Inbox, ref_of
from board.services.message import Rejected
from board.services.tasks import Place
from board.web import row_actions
from board.web.row_actions import Wish

MOST_EVENTS = 1000
FOUND_OUT = {400: Error, 403: Error, 404: Error, 409: Error, 422: Error}
FOR_PEOPLES_TASKS = frozenset({"status", "note", "due", "priority"})  # the inbox judges the status
IDEMPOTENCY_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

api = NinjaAPI(
    title="Foldboard",
    version="1",
    description="Instances, their events, and messages from other systems.",
    auth=Bearer(),
    docs_url=None,
    openapi_url="openapi.json",
)


@api.exception_handler(Refusal)
def refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """A wish that was refused: 403 no right, 404 no such thing, 409 somebody was faster, 422 something is missing."""
    missing = {"elements", "errors", "instance_id", "message", "no_process"}
    status = 422 if refusal.code in missing else row_actions.status_of(refusal)
    return api.create_response(request, {"code": refusal.code, "message": refusal.message}, status=status)


@api.exception_handler(Ended)
def ended(request: HttpRequest, error: Ended) -> HttpResponse:
    """A token that is over: only who has it gets to know why."""
    return api.create_response(request, {"code": "token_ended", "message": str(error)}, status=401)


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    """Nothing there, or nothing this account may see: which of the two is not said."""
    return api.create_response(request, {"code": "not_found", "message": str(error) or "There is none."}, status=404)


@api.get("instances", response=list[Head], summary="Every instance, newest first; with `state` only those in it")
def list_instances(request: HttpRequest, state: str = "") -> Any:
    tail = current.tail()
    with tail.reading():
        found = [i for i, _ in all_of(tail) if _may_see(request, i)]
        return [said for i in found if (said := head_of(i)) and state in ("", said["state"])]


@api.get("instances/{instance}", response={200: InstanceOut, **FOUND_OUT}, summary="One instance: state, rows, counts")
def show_instance(request: HttpRequest, instance: str) -> Any:
    tail = current.tail()
    with tail.reading() as position:
        return record(_seen(request, instance), current.zone()) | {"position": str(position)}


@api.post("instances", response={201: Head, **FOUND_OUT}, summary="Start an instance")
def start_instance(request: HttpRequest, wish: StartIn) -> Any:
    tail = current.tail()
    try:
        listed = wish.elements
        if listed is None:
            elements = None
        elif isinstance(listed, dict):
            elements = ElementList.from_columns(listed)
        else:
            elements = ElementList.from_ids(listed)
    except ElementError as error:
        raise Refusal("elements", str(error)) from error
    instances.start(tail, _actor(request), wish.process, wish.instance, elements)
    with tail.reading():
        return Status(201, head_of(_seen(request, wish.instance)))


@api.get(
    "instances/{instance}/events",
    response={200: EventsOut, **FOUND_OUT},
    summary="The events of an instance after a position",
)
def list_events(request: HttpRequest, instance: str, after: str = "", limit: int = MOST_EVENTS) -> Any:
    tail = current.tail()
    with tail.reading() as now:
        found = _seen(request, instance)
        since = Position.parse(after) if after else None
        if after and (since is None or since.identity != now.identity):
            raise Refusal("position", "This position is not of this log: begin without `after`.")
        start = since.offset - 1 if since is not None else -1
        seqs = [seq for seq in tail.seqs(found.id) if seq > start]
        page = seqs[: max(1, min(limit, MOST_EVENTS))]
        entries = tail.history(found.id, after=start, before=page[-1] + 1) if page else []
        more = len(page) < len(seqs)
    reached = Position(now.identity, seqs[len(page)]) if more else now
    events = [EventOut.from_orm(entry.event) for entry in reversed(entries)]
    return {"position": str(reached), "events": events}


@api.post("instances/{instance}/act", response={200: list[EventOut], **FOUND_OUT}, summary="Do something to one row")
def act(request: HttpRequest, instance: str, wish: ActIn) -> Any:
    tail = current.tail()
    with tail.reading():
        _seen(request, instance)
    value = wish.value or ("done" if wish.do == "finish" else "")
    asked = Wish(wish.do, value, wish.note, along=wish.along, assignee=value, due=value)
    return row_actions.act(tail, instance, Place(wish.task, wish.element), _actor(request), asked).events


@api.put(
    "messages/{ref}",
    response={200: MessageOut, **FOUND_OUT},
    summary="Send a message: the same ref is applied once, however often it is sent",
)
def send_message(request: HttpRequest, ref: str, message: MessageIn) -> Any:
    who = _actor(request)
    if not (who.may_operate or _user(request).has_perm("board.sender")):
        raise Refusal("no_right", f"{who.name} may not send messages: an admin can give the right “board.sender”.")
    if not IDEMPOTENCY_KEY.fullmatch(ref):
        raise Refusal(
            "message", "A ref has 1 to 100 of letters, digits, “.”, “_” and “-”, and begins with none of these."
        )
    with current.tail().reading():
        definition = _seen(request, message.instance).flow.table.row(message.task)
    # people's tasks are moved by people, who have `act`: a message moves what waits for messages
    if definition is not None and definition.role != "system" and message.field not in FOR_PEOPLES_TASKS:
        raise Refusal("message", f"people_only: {message.task} is done by people; a message may only add to it.")
    name = ref.removesuffix(".json")
    said = json.dumps(message.dict() | {"actor": who.name}).encode()
    try:
        event = Inbox(current.tail(), current.store(), status_for="receive").deliver(who.name, name, said)
    except Rejected as rejected:
        raise Refusal("message", str(rejected)) from rejected
    return {"ref": ref_of(who.name, name), "outcome": "applied" if event is not None else "duplicate"}


@api.get("processes", response=list[ProcessOut], summary="Every saved process, in its newest version")
def list_processes(request: HttpRequest) -> Any:
    return [
        _process(d)
        for d in current.tail().definitions().values()
        if may_view(_user(request), compile_flow(d.table).roles)
    ]


@api.get("processes/{name}", response={200: ProcessOut, **FOUND_OUT}, summary="One saved process")
def show_process(request: HttpRequest, name: str) -> Any:
    found = current.tail().definition(name)
    if found is None or not may_view(_user(request), compile_flow(found.table).roles):
        raise Http404(f"There is no process “{name}”.")
    return _process(found)


def _process(definition: Any) -> dict[str, Any]:
    return {
        "name": definition.name,
        "version": definition.version,
        "note": definition.note,
        "saved": definition.ts,
        "saved_by": definition.actor,
        "table": definition.table.to_columns(),
    }


def _user(request: HttpRequest) -> Any:
    return request.user


def _actor(request: HttpRequest) -> Any:
    return actor_for(_user(request))


def _may_see(request: HttpRequest, instance: Instance) -> bool:
    return may_view(_user(request), instance.flow.roles)


def _seen(request: HttpRequest, instance_id: str) -> Instance:
    found = current.tail().get(instance_id)
    if found is None or not _may_see(request, found) or instance_id == INSTANCE:
        raise Http404(f"There is no instance “{instance_id}”.")
    return found
