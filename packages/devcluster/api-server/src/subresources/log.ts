import { badRequest, methodNotSupported, notFound, statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { LoggedRun, LogLine } from '@slipway/kube-objects/node-connection/node-connection';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer, OpenWatch, WatchSink } from '../request/request.js';
import { textAnswer } from '../response/answers.js';
import { serve } from '../response/payloads.js';
import { upgrade } from '../streaming/upgrade.js';
import { containerNamed } from './container-named.js';
import { kubeletHost, kubeletRefuses } from './container-view.js';
import { type LogOptions, readLogOptions } from './log-options.js';

/** GET of what a container has written; with `follow` also of what it writes from then on. Over a WebSocket when asked for one. */
export function log(core: Core, call: Call): ApiAnswer {
  const answer = written(core, call);
  return call.request.headers.upgrade?.toLowerCase() === 'websocket' ? overWebSocket(call, answer) : answer;
}

const binary = 'binary.k8s.io';
const base64 = 'base64.binary.k8s.io';

/** Each message has the bytes of one or more lines. */
function overWebSocket({ request }: Call, { payload }: ApiAnswer): ApiAnswer {
  return upgrade(request, { webSocket: [binary, base64], spdy: [] }, (link, { protocol }) => {
    const send = (text: string) => {
      const bytes = Buffer.from(text);
      if (text !== '') link.send(protocol === base64 ? Buffer.from(bytes.toString('base64')) : bytes);
    };
    let open: OpenWatch | undefined;
    link.listen(
      () => {},
      () => open?.close(),
    );
    if (payload?.kind === 'text') send(payload.text);
    if (payload?.kind !== 'watch') return link.close();
    open = payload.open({ event: (frame) => send(frame.line()), end: () => link.close() });
  });
}

function written(core: Core, call: Call): ApiAnswer {
  const { method } = call.request;
  if (method !== 'GET' && method !== 'HEAD') throw methodNotSupported(call.definition, method.toLowerCase());
  const options = readLogOptions(call, core.clock.now());
  const pod = podOf(core, call);
  if (!pod) throw notFound(call.definition, call.name);
  const container = containerNamed(pod, options.container);
  // The container has not started to write.
  const { nodeName } = pod.spec;
  if (!nodeName) return textAnswer(200, '');
  if (!core.nodes.answers(nodeName)) {
    const url = `https://${kubeletHost(core, nodeName)}/containerLogs/${call.namespace}/${call.name}/${container}`;
    throw statusError(500, undefined, `Get "${url}": ${kubeletRefuses(core, nodeName)}`);
  }
  const run = core.nodes.loggedRun(pod, container, options.previous);
  if (typeof run === 'string') throw badRequest(run);
  const lines = linesUntil(core.nodes.logOf(pod, run, options.sinceMs), core.clock.now());
  const tail =
    options.tailLines === undefined ? lines : lines.slice(lines.length - Math.min(lines.length, options.tailLines));
  const text = tail.map((line) => lineText(line, options)).join('');
  if (!options.follow || run.ended) return textAnswer(200, cut(text, options.limitBytes));
  const begin = { text, afterMs: core.clock.now(), startedAtMs: run.startedAtMs };
  return {
    ...textAnswer(200, ''),
    payload: { kind: 'watch', open: (sink) => follow(core, call, container, options, begin, sink) },
  };
}

/** How often it is looked whether a container that is followed has ended. */
const lookMs = 1_000;

/** Goes on with lines as time passes, until the container ends or its pod is gone. */
function follow(
  core: Core,
  call: Call,
  container: string,
  options: LogOptions,
  begin: { readonly text: string; readonly afterMs: number; readonly startedAtMs: number },
  sink: WatchSink,
): OpenWatch {
  let { afterMs } = begin;
  const write = (text: string) => {
    if (text !== '') sink.event({ type: 'LOG', line: () => text, object: () => text });
  };
  const look = () => {
    const nowMs = core.clock.now();
    const pod = podOf(core, call);
    const run = pod && sameRun(core, pod, container, begin.startedAtMs);
    if (!pod || !run) return sink.end();
    // Of an end one may hear later than it happened.
    const fromMs = Math.min(afterMs + 1, run.ended?.atMs ?? nowMs);
    const lines = linesUntil(core.nodes.logOf(pod, run, fromMs), nowMs);
    write(lines.map((line) => lineText(line, options)).join(''));
    afterMs = nowMs;
    if (run.ended) return sink.end();
    timer = core.clock.after(lookMs, look);
  };
  write(begin.text);
  let timer = core.clock.after(lookMs, look);
  return { close: () => timer.cancel() };
}

/** The run that began then, though the container may have been started anew; undefined when nothing is known of it. */
function sameRun({ nodes }: Core, pod: Pod, container: string, startedAtMs: number): LoggedRun | undefined {
  const runs = [nodes.loggedRun(pod, container, false), nodes.loggedRun(pod, container, true)];
  return runs.find((run): run is LoggedRun => typeof run === 'object' && run.startedAtMs === startedAtMs);
}

function podOf(core: Core, { definition, namespace, name }: Call): Pod | undefined {
  const entry = core.store.get(definition.storedAs, namespace, name);
  return entry && (serve(definition, entry).object as Pod);
}

function linesUntil(lines: Iterable<LogLine>, nowMs: number): readonly LogLine[] {
  const written: LogLine[] = [];
  for (const line of lines) {
    if (line.atMs > nowMs) break;
    written.push(line);
  }
  return written;
}

function lineText({ atMs, text }: LogLine, { timestamps }: LogOptions): string {
  return timestamps ? `${new Date(atMs).toISOString().slice(0, -1)}000000Z ${text}\n` : `${text}\n`;
}

function cut(text: string, limitBytes: number | undefined): string {
  return limitBytes === undefined ? text : Buffer.from(text).subarray(0, limitBytes).toString();
}
