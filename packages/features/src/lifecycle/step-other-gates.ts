import { findCondition } from '@slipway/kube';
import type { FeatureStatus } from '../api/feature.js';
import type { ComponentUses } from '../api/uses-status.js';
import { agreedValue } from './agreement.js';
import { withdrawConsent } from './consent.js';
import { type Decision, type NextAction, warning } from './decision.js';
import { reasonToKeep } from './retire.js';
import type { Blocker, Situation } from './situation.js';
import { at } from './transition.js';

/**
 * Keeps a Feature whose gate no definition and no process knows, and retires it once
 * nothing can be lost by that. An old scan does not prove it: a new one comes first.
 */
export function stepUnknownGate(refused: Decision, situation: Situation, unknown: Blocker): Decision {
  const { coreVersion, definition, scan } = situation;
  const { status } = refused;
  const isNew = findCondition(situation.status.conditions, 'Known')?.reason !== 'NotSeen';
  const events = isNew ? [warning('FeatureUnknown', unknown.message)] : [];
  const keptBecause = reasonToKeep({ status, coreVersion, definition: definition?.spec });
  const needsScan = status.state === 'Off' && (definition?.spec.references ?? []).length > 0 && !scan;
  const next: NextAction = { kind: needsScan ? 'scanReferences' : 'retire' };
  return { ...refused, events, keptBecause, ...(keptBecause === undefined && { next }) };
}

/**
 * Gives a gate without a definition the state its processes agree on. Between `On`
 * and `Off` it is `Unknown`, so that no reader sees one become the other at once.
 */
export function stepUndeclaredGate(facts: FeatureStatus, { uses, spec, nowMs }: Situation): Decision {
  const status = withdrawConsent(facts, spec.consent, 'no definition declared the gate when it was given');
  const isRequested = spec.desired !== undefined && spec.desired !== 'Unmanaged';
  const blocker: Blocker | undefined =
    isRequested || status.transition
      ? { reason: 'NoDefinition', message: `no FeatureDefinition declares ${spec.gate}, so it is only reported` }
      : undefined;
  if (status.transition) return { status, blocker };
  const reporting = uses.components.filter((component) => component.expected > 0);
  const agreed = agreedValue(reporting.map((component): ComponentUses => ({ ...component, required: true })));
  if (agreed === undefined || agreed === status.state) return { status, blocker };
  const state = status.state === 'Unknown' ? agreed : 'Unknown';
  return { status: { ...status, state, stateSince: at(nowMs) }, blocker };
}
