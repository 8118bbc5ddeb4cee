"""Give an agent a task and print what comes of it; whatever is piped in goes with it.

Nothing ever asks: what would need a question is refused, unless the mode or a rule allows it.
"""

import argparse
import asyncio
import gc
import os
from typing import Any

from msgspec.structs import replace

from ankrcode.agent.agent import Agent
from ankrcode.app import Toolkit
from ankrcode.config.settings import PermissionSettings, Settings
from ankrcode.errors import AnkrCodeError, ProviderError, UsageError
from ankrcode.frontends.cli.ask_options import ALIASES
from ankrcode.frontends.cli.asked import pictures, rules_in, schema_of, task_of
from ankrcode.frontends.cli.lines import output_kept, write_line
from ankrcode.frontends.cli.print_mode import (
    JsonPrinter,
    Printer,
    TextPrinter,
    exit_code,
    failed,
    notice,
    result_of,
)
from ankrcode.frontends.cli.settings import (
    current_folder,
    load_and_warn,
    load_rules,
    log_events,
    workspace_of,
)
from ankrcode.frontends.cli.told import Told
from ankrcode.frontends.cli.which_session import chosen_session
from ankrcode.frontends.cli.working import Working, cancelled
from ankrcode.permissions.rules.layers import rules_of_settings
from ankrcode.permissions.rules.rules import Ruleset
from ankrcode.providers.resolve import model_for
from ankrcode.providers.wire import Model
from ankrcode.tooling.person import Approver, Asker
from ankrcode.tooling.questions import asker_for


def run(options: argparse.Namespace) -> int:
    with output_kept():
        return _told_of(options)


def _told_of(options: argparse.Namespace) -> int:
    try:
        return _run(options)
    except AnkrCodeError as problem:
        _tell_failure(failed(problem), options)
        raise
    except KeyboardInterrupt:
        if not getattr(options, "has_begun", False):  # else it was told of where the work ended
            _tell_failure(result_of(cancelled()), options)
        raise


def _tell_failure(result: dict[str, Any], options: argparse.Namespace) -> None:
    """A program reads one result, whatever happens."""
    if options.output_format == "text":
        return
    result["session_id"] = session_id = getattr(options, "recorded_as", "")
    if options.output_format == "stream-json":
        from ankrcode.frontends.cli.stream_json import first_line, last_line

        mode = options.permission_mode or "default"
        cwd = str(options.cwd or current_folder())
        if not getattr(options, "has_begun", False):
            write_line(first_line(session_id, cwd=cwd, model=options.model or "", mode=mode))
        result = last_line(result)
    write_line(result)


def _run(options: argparse.Namespace) -> int:
    is_fed = options.input_format == "stream-json"
    task = Told(text=" ".join(options.task) if is_fed else task_of(options.task))
    settings = load_and_warn(options)
    if options.offline:
        settings = replace(settings, models=replace(settings.models, offline=True))
    try:
        if settings.rocketlang.mode == "only":
            raise ProviderError.of("model_unset")
        model = model_for(options.model, settings, os.environ, base_url=options.base_url)
    except ProviderError as problem:
        return _without_model(task.text, settings, options, problem)
    gc.freeze()  # what is loaded stays: a search of it would fall into the first command, 12 ms
    return asyncio.run(_work(task, model, settings, options))


def _without_model(
    task: str, settings: Settings, options: argparse.Namespace, problem: ProviderError
) -> int:
    """What RocketLang understands in full needs no model; of all else it is said what to set."""
    if not problem.key.startswith("model_unset"):
        raise problem
    from ankrcode.frontends.cli.without_model import without_model
    from ankrcode.frontends.rocket import NO_COMMAND, needs_model, shortcut
    from ankrcode.rocketlang.script import ScriptFault

    is_plain = task and options.json_schema is None and not options.image
    reading = shortcut(task, settings, workspace_of(options)) if is_plain else None
    if reading is None or needs_model(reading):
        raise _lacking(settings, options.base_url) from None

    def kit_for(approve: Approver) -> Toolkit:
        exact = replace(settings, edit=replace(settings.edit, match="exact"))
        return toolkit_for(exact, options, approve=approve)

    try:
        kit, answer = without_model(task, kit_for)
    except ScriptFault as fault:
        if fault.fault.code != NO_COMMAND:
            raise
        raise _lacking(settings, options.base_url) from None
    _printer(options, kit, "rocketlang", kit.registry.names).end(answer)
    return exit_code(answer)


def _lacking(settings: Settings, base_url: str | None) -> ProviderError:
    """Where no key would help, none is asked for."""
    if settings.rocketlang.mode == "only":
        return ProviderError.of("task_needs_model.only")
    if base_url:
        return ProviderError.of("task_needs_model.served")
    is_offline = settings.models.offline
    return ProviderError.of("task_needs_model.offline" if is_offline else "task_needs_model")


async def _work(task: Told, model: Model, settings: Settings, options: argparse.Namespace) -> int:
    schema = schema_of(options.json_schema)
    task = replace(task, attachments=pictures(options.image))
    if options.image:
        from ankrcode.frontends.cli.foreseen import warn_if_blind  # few tasks have pictures

        warn_if_blind(model)
    kit = toolkit_for(settings, options)
    agent = agent_for(model, kit, options)
    working = Working(agent, schema=schema, writes_lines=options.output_format != "text")
    try:
        with working.stoppable():
            tools = (await agent.talk()).tools if await working.ready() else ()
            names = [one.name for one in tools]
            working.printer = printer = _printer(options, kit, agent.model.name, names)
            if not printer.wants_events:
                kit.on("notice", notice)
            if options.input_format == "stream-json":
                return await working.fed(task if task.text else None)
            return await working.only(task)
    finally:
        if working.printer.wants_events:  # its last line is written: what is still said goes beside
            kit.on("notice", notice)
        await agent.close()
        kit.activity.flush()  # warnings and the log are written by observers


def _printer(
    options: argparse.Namespace, kit: Toolkit, model: str, tools: list[str] | tuple[str, ...]
) -> Printer:
    options.has_begun = True
    is_data = options.json_schema is not None
    match options.output_format:
        case "text":
            return TextPrinter(is_data=is_data)
        case "json":
            return JsonPrinter(is_data=is_data)
    from ankrcode.frontends.cli.stream_json import StreamPrinter  # only who wants it pays for it

    return StreamPrinter(kit, model, tools, is_partial=options.partial, is_data=is_data)


def agent_for(model: Model, kit: Toolkit, options: argparse.Namespace) -> Agent:
    if options.max_cost or kit.settings.budget.usd:
        from ankrcode.frontends.cli.foreseen import warn_if_unpriced  # few have such a limit

        warn_if_unpriced(model.name)
    return Agent(
        model,
        kit=kit,
        system_prompt=options.system_prompt,
        append_system_prompt=options.append_system_prompt,
        max_turns=options.max_turns,
        max_cost_usd=options.max_cost,
        disallowed_tools=rules_in(options.disallowed_tools),
    )


def toolkit_for(
    settings: Settings,
    options: argparse.Namespace,
    *,
    approve: Approver | None = None,
    ask: Asker | None = None,
) -> Toolkit:
    mode = ALIASES.get(options.permission_mode, options.permission_mode)
    _check(options)
    kit = Toolkit(
        cwd=options.cwd,
        extra_directories=options.add_dir,
        mode=mode or settings.permissions.mode,
        settings=settings,
        rules=load_rules(options) + _rules(options),
        session_id=chosen_session(options, "-p"),
        plugins=settings.plugins,
        records=not options.no_session,
        approve=approve,
        ask=asker_for(options.answers or "") or ask,
    )
    if options.allowed_tools or options.disallowed_tools:
        from ankrcode.frontends.cli.foreseen import warn_if_misnamed  # few write rules here

        warn_if_misnamed(_rules(options), kit.registry.names)
    log_events(kit.activity, settings, debug=options.debug)
    options.recorded_as = kit.agent.session_id
    return kit


def _check(options: argparse.Namespace) -> None:
    """What the parser cannot see."""
    why = ""
    if options.no_session and (options.session or options.resume or options.newest):
        why = "--no-session records nothing, so it goes on with no session either"
    if options.image and options.input_format == "stream-json" and not options.task:
        why = "--image goes with a task on the command line; lines have pictures of their own"
    options.add_dir = [os.path.expanduser(one) for one in options.add_dir]  # noqa: PTH111
    for folder in options.add_dir:  # a shell leaves the ~ of --add-dir=~/x as it is
        if not os.path.isdir(folder):  # noqa: PTH112
            why = f"--add-dir: there is no folder {folder or repr(folder)}"
    if why:
        raise UsageError.of("usage", why=why, command="-p")


def _rules(options: argparse.Namespace) -> Ruleset:
    """Those of the command line: what runs unasked, and what never runs."""
    allowed, denied = rules_in(options.allowed_tools), rules_in(options.disallowed_tools)
    if not allowed and not denied:
        return Ruleset()
    where = workspace_of(options)
    return rules_of_settings(
        PermissionSettings(allow=allowed), where, "--allowed-tools"
    ) + rules_of_settings(PermissionSettings(deny=denied), where, "--disallowed-tools")
