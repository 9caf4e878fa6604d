import { createHash } from 'node:crypto';

/** How long a report counts after its last renewal. */
export const leaseDurationSeconds = 900;

/** A published value that is not in effect, and why. */
export interface ApplyError {
  readonly gate: string;
  readonly message: string;
}

/** `spec` of a FeatureUse: what one process says of itself. Times are RFC 3339. */
export interface FeatureUseSpec {
  readonly component: string;
  /** Which of the component's processes: a node or pod name. */
  readonly instance: string;
  readonly node?: string | undefined;
  /** New for each start of the process. */
  readonly incarnation: string;
  readonly startTime?: string | undefined;
  readonly binaryVersion: string;
  readonly emulationVersion?: string | undefined;
  readonly minCompatibilityVersion?: string | undefined;
  /** Who looked: the process itself, or a reader of its metrics page. */
  readonly source: 'Library' | 'Metrics';
  /** Name of the FeatureVector that holds the values. */
  readonly vector: string;
  /** Which gates of the vector were read, see `queriedGates`. */
  readonly queried?: string | undefined;
  /** At most three, shortened. */
  readonly applyErrors?: readonly ApplyError[] | undefined;
  /** The newest epoch that had been seen when the values were looked at. */
  readonly epoch: number;
  readonly renewTime: string;
  readonly leaseDurationSeconds: number;
}

/** Who owns a report, so that it goes when its owner goes: the pod or the node. */
export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** `<component>.<instance>`; made a valid object name, with a hash where that changed it. */
export function featureUseName(component: string, instance: string): string {
  const name = `${component}.${instance}`;
  const valid = dnsName(name);
  if (valid === name && name.length <= 253) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${dnsName(valid.slice(0, 244)) || 'process'}-${hash}`;
}

/** Keeps a report small whatever a handler threw. */
export function shortApplyErrors(errors: readonly ApplyError[]): readonly ApplyError[] | undefined {
  if (errors.length === 0) return undefined;
  return errors.slice(0, 3).map(({ gate, message }) => ({ gate, message: message.slice(0, 80) }));
}

/** The body that creates a report. */
export function featureUse(name: string, namespace: string, owner: Owner | undefined, spec: FeatureUseSpec): object {
  const ownerReferences = owner ? { ownerReferences: [owner] } : {};
  return {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'FeatureUse',
    metadata: { name, namespace, ...ownerReferences },
    spec,
  };
}

/** The merge patch that renews a report, also one an earlier incarnation left: what is not said any more is removed. */
export function featureUsePatch(owner: Owner | undefined, spec: FeatureUseSpec, resourceVersion?: string): object {
  const optional = {
    node: null,
    startTime: null,
    queried: null,
    applyErrors: null,
    emulationVersion: null,
    minCompatibilityVersion: null,
  };
  const said = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
  const metadata = {
    ...(owner && { ownerReferences: [owner] }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { ...(Object.keys(metadata).length > 0 && { metadata }), spec: { ...optional, ...said } };
}

/** What of a text can be an object name: labels of lower case letters, digits and inner dashes. */
function dnsName(text: string): string {
  const labels = text.toLowerCase().split('.');
  const valid = labels.map((label) => label.replace(/[^a-z0-9-]/g, '-').replace(/^-+|-+$/g, ''));
  return valid.filter((label) => label !== '').join('.');
}
