import { labelProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { podSpecWarnings } from './pod-spec-warnings.js';

/** Returns the warning about a name that becomes part of names of pods; `use` says what of. */
export function podNameWarnings({ metadata }: KubeObject, use: string): string[] {
  const problems = labelProblems(metadata.name ?? '');
  if (problems.length === 0) return [];
  const advice = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${use}, ${advice}: [${problems.join(' ')}]`];
}

/** Makes the warnings of a kind with a pod template at `spec.PATH`: about the template, where the spec has changed. */
export function templateWarnings(...path: readonly string[]) {
  return ({ spec }: KubeObject, old?: KubeObject): readonly string[] => {
    if (old && equalJson(spec ?? {}, old.spec ?? {})) return [];
    const template = path.reduce((value, name) => value?.[name], spec) as PodTemplateFields | undefined;
    return template?.spec ? podSpecWarnings(template.spec, ['spec', ...path, 'spec'].join('.')) : [];
  };
}

/** As `templateWarnings`, for kinds whose pods are called after them. */
export function workloadWarnings(...path: readonly string[]) {
  const ofTemplate = templateWarnings(...path);
  return (object: KubeObject, old?: KubeObject): readonly string[] => [
    ...(old ? [] : podNameWarnings(object, 'Pod names and hostnames')),
    ...ofTemplate(object, old),
  ];
}
