import { nearest } from '../document/nearest.js';
import type { EvidenceClaim } from '../evidence/evidence.js';
import type { Claim } from './claim.js';
import type { ClusterView, GateView, Seen } from './cluster-view.js';
import { type MetricLabel, parseMetricSelector } from './metric-selector.js';

type Verdict = Pick<EvidenceClaim, 'result' | 'detail'>;

/**
 * Holds what a proposal claims to what was seen of a cluster. What is not there is refuted only where it
 * must show without anybody using the feature; what appears in use only is `unobservable` until it was seen.
 */
export function judgeClaims(claims: readonly Claim[], view: ClusterView): EvidenceClaim[] {
  return claims.map((claim) => ({ id: claim.id, ...judge(claim, view) }));
}

function judge(claim: Claim, view: ClusterView): Verdict {
  const { kind, subject } = claim;
  switch (kind) {
    case 'gate-exists':
    case 'gate-reported':
    case 'gate-stage':
      return given(view.gates, (gates) => judgeGate(claim, gates));
    case 'metric':
      return judgeMetric(claim, view);
    case 'event':
      return given(view.eventReasons, (reasons) =>
        reasons.has(subject)
          ? verified('there is an event with this reason')
          : unobservable('no event has this reason now; use the feature and ask again'),
      );
    case 'condition':
      return unobservable('conditions show on objects that use the feature; look at one with kubectl');
    case 'field':
      return given(view.openApi, (documents) =>
        documents.some((document) => hasField(document, subject))
          ? verified('the API has the field')
          : refuted('no kind of the API has the field'),
      );
    case 'api':
      return given(view.kinds, (kinds) => judgeApi(subject, kinds));
    case 'disable-supported':
      return { result: 'skipped', detail: 'switching it is for people: slipway feature off GATE, then on again' };
  }
}

function given<T>(seen: Seen<T>, judged: (value: T) => Verdict): Verdict {
  return seen.seen ? judged(seen.value) : unobservable(seen.why);
}

function judgeGate({ kind, subject, object }: Claim, gates: ReadonlyMap<string, GateView>): Verdict {
  const gate = gates.get(subject);
  if (!gate) {
    const near = nearest(
      subject.toLowerCase(),
      [...gates.keys()].map((name) => name.toLowerCase()),
    );
    const meant = [...gates.keys()].find((name) => name.toLowerCase() === near);
    return refuted(`the cluster knows no gate of this name${meant ? `; it knows ${meant}` : ''}`);
  }
  if (kind === 'gate-exists') return verified('the cluster knows the gate');
  if (kind === 'gate-stage') return judgeStage(object ?? '', gate.stage);
  if (gate.components.has(object ?? '')) return verified('the component reports the gate');
  const others = [...gate.components].join(', ');
  const reports = [...gates.values()].some(({ components }) => components.has(object ?? ''));
  if (!reports) return unobservable(`${object} reports no gate at all here`);
  return refuted(`${object} reports other gates, and not this one${others ? `; ${others} does` : ''}`);
}

function judgeStage(claimed: string, seen: string | undefined): Verdict {
  if (seen === undefined) return unobservable('no component says the stage of the gate');
  const isRemoval = claimed === 'disabled' || claimed === 'removed';
  if (claimed === seen || (isRemoval && seen === 'deprecated')) return verified(`the cluster says ${seen}`);
  return refuted(`the cluster says ${seen}`);
}

function judgeMetric({ subject, object }: Claim, { metrics }: ClusterView): Verdict {
  return given(metrics, (families) => {
    const family = families.get(subject);
    if (!family)
      return unobservable('no page has it now; it may show only in use, or on a component that was not asked');
    if (!family.hasSamples) return { result: 'weak', detail: 'it is declared and has no series yet' };
    const labels = parseMetricSelector(object ?? '')?.labels ?? [];
    const missing = labels.filter((label) => ![...family.labels].some((each) => fits(each, label)));
    if (missing.length === 0) return verified('it is scraped');
    return refuted(`it has no series with ${missing.map(({ name }) => name).join(', ')} as said`);
  });
}

function fits(series: string, { name, value, isPattern }: MetricLabel): boolean {
  const [, seenName, seenValue = ''] = /^([^=]*)="(.*)"$/.exec(series) ?? [];
  if (seenName !== name) return false;
  if (value === undefined) return true;
  // The alternatives of `a|b` are compared one by one: a pattern of a document is not run.
  return isPattern ? value.split('|').includes(seenValue) : value === seenValue;
}

function judgeApi(subject: string, kinds: ReadonlySet<string>): Verdict {
  if (kinds.has(subject)) return verified('the server serves it');
  if (subject.includes('/')) return refuted('the server does not serve this version');
  return unobservable('the server serves no kind of this name; it may be no kind at all');
}

/** Whether any schema of an OpenAPI document, of version 2 or 3, has a path such as `.status.resize`. */
export function hasField(document: unknown, path: string): boolean {
  const definitions = childOf(document, 'definitions') ?? childOf(childOf(document, 'components'), 'schemas');
  const steps = path
    .replace(/\[[^\]]*\]/g, '')
    .split('.')
    .filter((step) => step !== '');
  if (typeof definitions !== 'object' || definitions === null) return false;
  return Object.values(definitions).some((definition) => reaches(definitions, definition, steps));
}

function reaches(definitions: unknown, schema: unknown, [step, ...rest]: readonly string[], depth = 0): boolean {
  if (step === undefined) return true;
  if (depth > 20) return false;
  const here = resolved(definitions, schema);
  const next = childOf(childOf(here, 'properties'), step);
  if (next !== undefined) return reaches(definitions, next, rest, depth + 1);
  const items = childOf(here, 'items') ?? childOf(here, 'additionalProperties');
  return items === undefined || depth === 0 ? false : reaches(definitions, items, [step, ...rest], depth + 1);
}

function resolved(definitions: unknown, schema: unknown): unknown {
  const reference =
    childOf(schema, '$ref') ?? childOf((childOf(schema, 'allOf') as unknown[] | undefined)?.[0], '$ref');
  if (typeof reference !== 'string') return schema;
  return childOf(definitions, reference.replace(/^#\/(?:definitions|components\/schemas)\//, '')) ?? schema;
}

function childOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const verified = (detail: string): Verdict => ({ result: 'verified', detail });
const refuted = (detail: string): Verdict => ({ result: 'refuted', detail });
const unobservable = (detail: string): Verdict => ({ result: 'unobservable', detail });
