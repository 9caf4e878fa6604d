import { definitionController } from '@slipway/api-server/crd/establish';
import { DefinitionRegistry } from '@slipway/api-server/registry/definition-registry';
import type { ApiAnswer } from '@slipway/api-server/request/request';
import { wholeText } from '@slipway/api-server/response/payloads';
import { createApiServer } from '@slipway/api-server/server';
import { warningHeaders } from '@slipway/api-server/transport/warning-header';
import { systemClock } from '@slipway/kube';
import { builtInAdmission } from '@slipway/kubernetes-kinds/admission/built-in-admission';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { componentGate, gateReader } from '../../../packages/devcluster/cluster/src/component/component-gates.js';
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
    serviceAccountIssuer: 'https://kubernetes.default.svc',
  });
  const user = { name: 'admin', uid: '1', groups: ['system:masters', 'system:authenticated'] };
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
