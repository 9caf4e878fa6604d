import type { User } from '@slipway/api-machinery/identity/user';
import { defaultVersion } from '@slipway/api-machinery/schema/supported-versions';
import type { NewAdmissionPlugins } from '@slipway/api-server/attributes/admission';
import type { AuditSink } from '@slipway/api-server/audit/audit-log';
import type { ApiAnswer, EncodedFrame, OpenWatch } from '@slipway/api-server/request/request';
import { wholeText } from '@slipway/api-server/response/payloads';
import { type ApiServer, type ApiServerOptions, createApiServer } from '@slipway/api-server/server';
import type { KubeObject, Status } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { kindAdmission } from '@slipway/kubernetes-kinds/admission/built-in-admission';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { createStore } from '@slipway/object-store/create-store';
import type { DurableLog } from '@slipway/object-store/durable-log';
import type { HistoryLimits } from '@slipway/object-store/history';
import { memoryStore } from '@slipway/object-store/memory-store';
import { SimulatedNodes } from '@slipway/simulated-kubelet/simulated-nodes';
import { metricsDefinitions } from '../metrics-api/metrics-definitions.js';

/** The administrator that requests of tests come from. */
export const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

/** What a test reads of an answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server said
  readonly body: any;
}

/** An API server over a store in memory (which may forget its history early), with the built-in kinds, its namespace `default` and a clock that is stepped. */
export async function aServer(
  history?: HistoryLimits,
  admission: NewAdmissionPlugins = kindAdmission(),
  audit?: AuditSink,
  version = defaultVersion,
  more: Pick<ApiServerOptions, 'isEnabled' | 'proxyClient'> = {},
) {
  const clock = new ManualClock();
  const store = history ? createStore({ durable: nothingDurable, clock, history }) : memoryStore({ clock });
  const nodes = new SimulatedNodes({ clock });
  const api = createApiServer({
    store,
    clock,
    admission,
    nodes,
    definitions: [...builtInDefinitions(), ...metricsDefinitions],
    audit,
    version,
    ...more,
  });
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    replyOf(
      await api.handle({ method, path, headers, user: admin, ...(body === undefined ? {} : { body: asBody(body) }) }),
    );
  const made = await ask('POST', '/api/v1/namespaces', named('Namespace', 'default'));
  if (made.status !== 201) throw new Error(`no namespace: ${JSON.stringify(made.body)}`);
  return { api, clock, store, ask };
}

const nothingDurable: DurableLog = {
  load: () => ({ records: [], compacted: new Map() }),
  commit: () => Promise.resolve(),
  gather: (next) => queueMicrotask(next),
  close: () => Promise.resolve(),
};

/** An object of the core group with a name. */
export function named(kind: string, name: string, more: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: 'v1', kind, metadata: { name }, ...more };
}

/** A pod of one container. */
export function aPod(name: string, more: { labels?: Record<string, string>; nodeName?: string } = {}): KubeObject {
  const { labels, nodeName } = more;
  const spec = { containers: [{ name: 'main', image: 'registry.example/app:1' }], ...(nodeName ? { nodeName } : {}) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...(labels ? { labels } : {}) }, spec };
}

/** A watch that collects. */
export async function aWatch(api: ApiServer, path: string, headers: Record<string, string> = {}) {
  const answer = await api.handle({ method: 'GET', path, headers, user: admin });
  if (answer.payload?.kind !== 'watch') throw new Error(`${path} is not a watch: ${answer.status}`);
  // biome-ignore lint/suspicious/noExplicitAny: objects of any kind
  const frames: { type: string; object: any }[] = [];
  const state = { ended: false };
  const open: OpenWatch = answer.payload.open({
    event: (frame: EncodedFrame) => void frames.push(JSON.parse(frame.line())),
    end: () => {
      state.ended = true;
    },
  });
  return { frames, state, close: () => open.close() };
}

/** The text of an answer, parsed if it is JSON. */
export function replyOf({ status, headers, warnings = [], payload }: ApiAnswer): Reply {
  if (payload?.kind === 'text') return { status, headers, warnings, body: payload.text };
  if (payload?.kind === 'bytes') return { status, headers, warnings, body: payload.bytes };
  if (payload?.kind !== 'json') return { status, headers, warnings, body: undefined };
  return { status, headers, warnings, body: JSON.parse(wholeText(payload.json)) as Status };
}

function asBody(body: unknown) {
  return typeof body === 'string' ? { bytes: Buffer.from(body) } : { value: body };
}
