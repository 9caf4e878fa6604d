import { matchesFields, parseFieldSelector } from '../selectors/field-selector.js';
import { matchesLabels } from '../selectors/label-requirement.js';
import { parseLabelSelector } from '../selectors/parse-label-selector.js';
import { apiVersionOf, type KubeObject } from '../transport/objects.js';
import type { WatchFrame } from '../transport/transport.js';
import { FrameQueue } from './frame-queue.js';
import { type RequestPath, resourceOf } from './request-path.js';

/** One write, as history keeps it. */
export interface StoredEvent {
  readonly revision: number;
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly previous?: KubeObject;
}

/** One open watch of the in-memory API. */
export interface Watch {
  readonly frames: AsyncIterable<WatchFrame>;
  offer(event: StoredEvent): void;
  show(object: KubeObject): void;
  bookmark(revision: number): void;
  end(error?: Error): void;
}

/** An object that enters or leaves the selection is ADDED or DELETED for this watch. */
export function createWatch(at: RequestPath): Watch {
  const queue = new FrameQueue();
  const selects = selection(at);
  const resource = resourceOf(at);
  return {
    frames: queue,
    offer({ resource: written, type, object, previous }) {
      if (written !== resource) return;
      const was = previous !== undefined && selects(previous);
      const is = type !== 'DELETED' && selects(object);
      if (is) queue.push({ type: was ? 'MODIFIED' : 'ADDED', object });
      else if (was) queue.push({ type: 'DELETED', object });
    },
    show(object) {
      if (selects(object)) queue.push({ type: 'ADDED', object });
    },
    bookmark(revision) {
      if (at.query.get('allowWatchBookmarks') !== 'true') return;
      const metadata = { resourceVersion: String(revision) };
      queue.push({ type: 'BOOKMARK', object: { apiVersion: apiVersionOf(at), kind: at.plural, metadata } });
    },
    end: (error) => queue.end(error),
  };
}

/** Whether an object is among those a list or watch asks for. */
export function selection(at: RequestPath): (object: KubeObject) => boolean {
  const labels = parseLabelSelector(at.query.get('labelSelector') ?? '');
  const fields = parseFieldSelector(at.query.get('fieldSelector') ?? '');
  return (object) =>
    (at.namespace === '' || object.metadata.namespace === at.namespace) &&
    matchesLabels(labels, object.metadata.labels) &&
    matchesFields(fields, (path) => textAt(object, path));
}

function textAt(object: KubeObject, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], object);
  return value === undefined || value === null ? '' : String(value);
}
