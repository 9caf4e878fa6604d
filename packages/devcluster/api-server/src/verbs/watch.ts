import { expired, statusError } from '@slipway/api-machinery/errors/status-errors';
import {
  apiVersionOf,
  type Clock,
  errorMessage,
  type KubeObject,
  StatusError,
  stringifyJson,
  type Timer,
} from '@slipway/kube';
import { CompactedError } from '@slipway/object-store/store';
import type { Call, Core } from '../core/core.js';
import { tooLargeVersion, waitForRevision } from '../core/freshness.js';
import { tableStyle } from '../core/represent.js';
import type { ListOptions } from '../request/list-options.js';
import type { ApiAnswer, OpenWatch, WatchSink } from '../request/request.js';
import { parseReadVersion } from '../request/resource-version.js';
import { noCache } from '../response/answers.js';
import {
  errorFrame,
  type FrameMaker,
  objectFrames,
  partialFrames,
  tableFrames,
  type WatchFrame,
} from '../watch/frames.js';
import type { GroupMember, WatchGroup } from '../watch/watch-group.js';
import { readListQuery } from './list.js';

const bookmarkEveryMs = 60_000;
const lastBookmarkMs = 2_000;
const shortestSeconds = 1_800;
const endOfState = { 'k8s.io/initial-events-end': 'true' };

/** Answers the changes of a collection, or of one object of it, as they happen. */
export function watch(core: Core, call: Call): ApiAnswer {
  // Paths that begin with /watch/ are validated as lists are.
  const { options, selection } = readListQuery(call, call.query.flag('watch'));
  const since = parseReadVersion(options.resourceVersion);
  const name = call.name || (selection.name ?? '');
  const { query, representation, definition, namespace } = call;
  const frames = frameMaker(core, call);
  const wants = ['labelSelector', 'fieldSelector', 'includeObject'].map((parameter) => query.get(parameter) ?? '');
  const key = JSON.stringify([namespace, name, ...wants, representation.as, representation.version]);
  const spec = () => ({ definition, namespace, name, matches: selection.matches, frames });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': noCache },
    payload: {
      kind: 'watch',
      open: (sink) => {
        const group = core.watches.group(definition, key, spec);
        const watcher = new Watcher(core, call.request.clock ?? core.clock, options, since, group, sink, {
          bookmark: (annotations) => frames.make('BOOKMARK', bookmark(core, call, annotations)),
          closed: () => core.watches.release(definition, key),
        });
        watcher.start();
        return watcher;
      },
    },
  };
}

function frameMaker(core: Core, call: Call): FrameMaker {
  const { as, version } = call.representation;
  if (as === 'Table') {
    // Read once, so that a bad includeObject is refused before the stream begins.
    const style = tableStyle(core, call);
    return tableFrames(() => ({ ...style, nowMs: core.clock.now() }));
  }
  return as === 'object' ? objectFrames : partialFrames(version);
}

/** An object that says nothing but how far the watcher is. */
function bookmark(core: Core, { definition }: Call, annotations: Record<string, string> | undefined) {
  const object: KubeObject = {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: { resourceVersion: String(core.store.revision), ...(annotations ? { annotations } : {}) },
  };
  return { object, json: stringifyJson(object) };
}

interface WatcherHooks {
  readonly bookmark: (annotations?: Record<string, string>) => WatchFrame;
  readonly closed: () => void;
}

/** One open watch: begins with a state or with history, goes on live, ends by itself. */
class Watcher implements OpenWatch, GroupMember {
  readonly #core: Core;
  /** The time its client lives by. */
  readonly #clock: Clock;
  readonly #options: ListOptions;
  readonly #since: number;
  readonly #group: WatchGroup;
  readonly #sink: WatchSink;
  readonly #hooks: WatcherHooks;
  #timers: Timer[] = [];
  #open = true;
  #begun = false;
  #owesEndOfState = false;
  after = 0;

  constructor(
    core: Core,
    clock: Clock,
    options: ListOptions,
    since: number,
    group: WatchGroup,
    sink: WatchSink,
    hooks: WatcherHooks,
  ) {
    this.#core = core;
    this.#clock = clock;
    this.#options = options;
    this.#since = since;
    this.#group = group;
    this.#sink = sink;
    this.#hooks = hooks;
  }

  start(): void {
    if (this.#core.watches.hasEnded) {
      this.end();
      return;
    }
    this.#setTimers();
    if (this.#since <= this.#core.store.revision) {
      this.#prepare();
      return;
    }
    // Seen from another server, or from a store that is no more: it may still come.
    waitForRevision(this.#core, this.#since).then(
      () => this.#prepare(),
      () => this.#fail(tooLargeVersion(this.#since, this.#core.store.revision, 1)),
    );
  }

  receive(frame: WatchFrame): void {
    if (!this.#open) return;
    this.#sink.event(this.#begun ? frame : frame.first());
    this.#begun = true;
  }

  end(): void {
    if (!this.#open) return;
    this.close();
    this.#sink.end();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const timer of this.#timers) timer.cancel();
    this.#group.leave(this);
    this.#hooks.closed();
  }

  /** Begins at once, unless a webhook has to convert objects first. */
  #prepare(): void {
    if (!this.#open) return;
    let preparing: Promise<void> | undefined;
    try {
      preparing = this.#beginsWithState ? this.#group.prepare(undefined) : this.#group.prepare(this.#since);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
    }
    if (!preparing) {
      this.#begin();
      return;
    }
    preparing.then(
      () => this.#prepare(),
      (error: unknown) =>
        this.#fail(error instanceof StatusError ? error : statusError(500, 'InternalError', errorMessage(error))),
    );
  }

  get #beginsWithState(): boolean {
    return this.#options.sendInitialEvents ?? this.#since === 0;
  }

  #begin(): void {
    try {
      // The state, the history and the first live event must join without a gap: all of this happens at once.
      this.after = this.#core.store.revision;
      for (const frame of this.#beginning()) this.receive(frame);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      const oldest = error.keptSince ?? this.#core.store.revision;
      this.#fail(expired(`too old resource version: ${this.#since} (${oldest})`));
      return;
    }
    if (!this.#open) return;
    this.#group.join(this);
    const { sendInitialEvents, allowWatchBookmarks } = this.#options;
    if (sendInitialEvents && allowWatchBookmarks) this.receive(this.#hooks.bookmark(endOfState));
  }

  #beginning(): WatchFrame[] {
    const { sendInitialEvents } = this.#options;
    if (sendInitialEvents === true) return this.#group.state();
    if (this.#since > 0) return this.#group.history(this.#since);
    if (sendInitialEvents === false) return [];
    // The annotation that marks the end of the state was not requested; Kubernetes sends it with the first bookmark.
    this.#owesEndOfState = true;
    return this.#group.state();
  }

  #fail(error: StatusError): void {
    if (!this.#open) return;
    this.#sink.event(errorFrame(error.status));
    this.end();
  }

  #setTimers(): void {
    const clock = this.#clock;
    const asked = this.#options.timeoutSeconds;
    const seconds = asked !== undefined && asked > 0 ? asked : shortestSeconds * (1 + this.#core.random.fraction());
    this.#timers.push(clock.after(seconds * 1000, () => this.end()));
    if (!this.#options.allowWatchBookmarks) return;
    this.#timers.push(clock.after(Math.max(0, seconds * 1000 - lastBookmarkMs), () => this.#mark()));
    this.#bookmarkLater();
  }

  #bookmarkLater(): void {
    const timer = this.#clock.after(bookmarkEveryMs, () => {
      this.#mark();
      this.#bookmarkLater();
    });
    this.#timers[2] = timer;
  }

  #mark(): void {
    if (!this.#open || this.#since > this.#core.store.revision) return;
    this.receive(this.#hooks.bookmark(this.#owesEndOfState ? endOfState : undefined));
    this.#owesEndOfState = false;
  }
}
