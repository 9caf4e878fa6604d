import { type Labels, metricText } from '@slipway/feature-gates/metrics';
import type { Payload, WatchSink } from '../request/request.js';

type WatchPayload = Extract<Payload, { kind: 'watch' }>;

/** Counts the watches that are open, under the name that Kubernetes has for requests that last. */
export class OpenWatches {
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>();

  /** The same watch, counted from when it is opened until either side ends it. */
  counted({ dry_run: _, ...labels }: Labels, payload: WatchPayload): WatchPayload {
    const key = Object.values(labels).join('|');
    const count = this.#counts.get(key) ?? { labels, value: 0 };
    this.#counts.set(key, count);
    return {
      kind: 'watch',
      open(sink) {
        count.value++;
        let isOpen = true;
        const end = () => {
          if (isOpen) count.value--;
          isOpen = false;
        };
        const watch = payload.open(endingAlso(sink, end));
        return {
          close() {
            end();
            watch.close();
          },
        };
      },
    };
  }

  page(): string {
    const help = '[STABLE] Watches that are open, by group, version, resource, scope and component.';
    return metricText('apiserver_longrunning_requests', 'gauge', help, this.#counts.values());
  }
}

function endingAlso(sink: WatchSink, end: () => void): WatchSink {
  return {
    event: (frame) => sink.event(frame),
    end() {
      end();
      sink.end();
    },
  };
}
