import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { defaultPodSpec } from './pod-defaults.js';

/** Fills in the defaults of the pods a workload makes, in place. */
export function defaultPodTemplate(spec: { template?: PodTemplateFields }): void {
  spec.template ??= {};
  spec.template.spec ??= {};
  defaultPodSpec(spec.template.spec);
}
