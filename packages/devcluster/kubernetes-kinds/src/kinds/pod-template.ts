import { columnsOfTemplate, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { podGates } from './pod-gates.js';
import { validateTemplate } from './pod-spec-validation.js';
import { strictTemplateAddresses } from './strict-addresses.js';
import { defaultPodTemplate } from './workload-defaults.js';

/** A pod kept to be made later. */
export const podTemplates = defineResource({
  group: '',
  version: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  returnsDeleted: true,
  message: 'core.v1.PodTemplate',
  gatedRules: strictTemplateAddresses('template'),
  nameRules: 'create',
  gatedFields: podGates('template.spec'),
  generation: ['template'],
  defaults: (podTemplate: KubeObject & { template?: PodTemplateFields }) => defaultPodTemplate(podTemplate),
  validate: ({ template }) => validateTemplate(template, 'template'),
  columns: [
    ...columnsOfTemplate(({ template }) => template, textColumn),
    textColumn('Pod Labels', 'Labels of the pods.', labelsText),
  ],
});

function labelsText({ template }: KubeObject): string {
  const labels = Object.entries<string>(template?.metadata?.labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return labels.map(([key, value]) => `${key}=${value}`).join(',') || '<none>';
}
