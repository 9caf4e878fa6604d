import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import { followObjects } from '@slipway/api-server/admission/matching/stored-objects';
import type { AdmissionPlugins, Attributes } from '@slipway/api-server/attributes/admission';
import { subjectName } from '@slipway/api-server/attributes/subject-name';
import type { Clock, KubeObject } from '@slipway/kube';
import type { Entry, Store } from '@slipway/object-store/store';
import { checkQuota, mayCharge, type Quota } from './check-quota.js';

const resource = 'resourcequotas';

/** Charges the quotas of a store. It follows them, so that namespaces without any cost nothing. */
export function quotaCharger(store: Store, clock: Clock): Pick<AdmissionPlugins, 'charge' | 'close'> {
  const quotas = followObjects(store, resource, () => {});
  const hasQuotas = (namespace: string) =>
    !quotas.isEmpty && quotas.all().some(({ metadata }) => metadata.namespace === namespace);
  return {
    charge: (request) => chargeQuotas(request, store, hasQuotas, clock.now()),
    close: () => quotas.close(),
  };
}

/**
 * Charges the quotas of a namespace for a request. What they say is used rises in the same turn in which the object
 * is written, so that of two requests for the last place one comes too late. A write that fails after all
 * stays charged until usage is next counted.
 * @throws StatusError Forbidden when a quota would be exceeded
 */
function chargeQuotas(
  request: Attributes,
  store: Pick<Store, 'list' | 'latest' | 'put'>,
  hasQuotas: (namespace: string) => boolean,
  nowMs: number,
): void {
  const { namespace, dryRun } = request;
  if (namespace === '' || !hasQuotas(namespace) || !mayCharge(request)) return;
  const charged: [Entry, Readonly<Record<string, string>>][] = [];
  for (const { name } of store.list(resource, { namespace }).entries) {
    const entry = store.latest(resource, namespace, name);
    if (!entry) continue;
    const charge = checkQuota(quotaOf(entry.object), request, nowMs);
    if (!charge) continue;
    if ('refused' in charge) throw forbidden(request.resource, subjectName(request), charge.refused);
    charged.push([entry, charge.used]);
  }
  if (dryRun) return;
  for (const [entry, used] of charged) {
    const { object } = entry;
    const status = { ...object.status, used };
    // The object is written right after it: a store that cannot take this cannot take that.
    store.put(resource, { ...object, status }, entry).catch(() => {});
  }
}

/** A quota as it is stored. */
function quotaOf({ metadata, spec = {}, status = {} }: KubeObject): Quota {
  return { name: metadata.name ?? '', spec, status };
}
