import { systemClock } from '@slipway/kube';
import { definitionController } from '../../../packages/devcluster/api-server/src/crd/establish.js';
import { DefinitionRegistry } from '../../../packages/devcluster/api-server/src/registry/definition-registry.js';
import type { ApiAnswer } from '../../../packages/devcluster/api-server/src/request/request.js';
import { wholeText } from '../../../packages/devcluster/api-server/src/response/payloads.js';
import { createApiServer } from '../../../packages/devcluster/api-server/src/server.js';
import { warningHeaders } from '../../../packages/devcluster/api-server/src/transport/warning-header.js';
import { componentGate, gateReader } from '../../../packages/devcluster/cluster/src/component/component-gates.js';
import { builtInAdmission } from '../../../packages/devcluster/kubernetes-kinds/src/admission/built-in-admission.js';
import { builtInDefinitions } from '../../../packages/devcluster/kubernetes-kinds/src/kinds/catalogue.js';
import { memoryStore } from '../../../packages/devcluster/object-store/src/memory-store.js';
import type { Send } from './exchange.js';

/** The API server of devcluster with its built-in kinds, without controllers and nodes. */
export function ourApiServer(version: string): { readonly send: Send } & Disposable {
  const clock = systemClock;
  const store = memoryStore({ clock });
  const registry = new DefinitionRegistry(builtInDefinitions());
  const definitions = definitionController({ store, registry, clock });
  const gate = componentGate('kube-apiserver', version);
  const api = createApiServer({
    store,
    clock,
    version,
    definitions: registry,
    admission: builtInAdmission(),
    isEnabled: gateReader(gate),
  });
  const user = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  return {
    async send({ method, path, contentType, accept, body }, begun) {
      const headers = {
        'user-agent': 'differential',
        accept: accept ?? 'application/json',
        ...(contentType !== undefined && { 'content-type': contentType }),
      };
      const answer = await api.handle({
        method,
        path,
        headers,
        user,
        ...(body !== undefined && { body: { bytes: Buffer.from(body) } }),
      });
      const warnings = warningHeaders(answer.warnings ?? []);
      return {
        status: answer.status,
        contentType: answer.headers['content-type'] ?? '',
        warnings,
        text: answer.payload?.kind === 'watch' ? await streamOf(answer.payload, begun) : textOf(answer),
      };
    },
    [Symbol.dispose]: () => definitions.close(),
  };
}

function textOf({ payload }: ApiAnswer): string {
  if (payload?.kind === 'text') return payload.text;
  if (payload?.kind === 'json') return wholeText(payload.json);
  if (payload?.kind === 'bytes') return Buffer.from(payload.bytes).toString();
  return '';
}

type WatchPayload = Extract<NonNullable<ApiAnswer['payload']>, { kind: 'watch' }>;

/** The text of a watch, once it has ended. */
function streamOf({ open }: WatchPayload, begun?: () => void): Promise<string> {
  return new Promise((resolve) => {
    const pieces: string[] = [];
    open({
      event: (frame) => pieces.push(frame.line()),
      end: () => resolve(pieces.join('')),
    });
    begun?.();
  });
}
