import { type KubeObject, labelSelectorToString } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { timeSince } from '@slipway/kube-objects/rules/human-duration';
import type { Column } from './resource-definition.js';

type Cell = Column['cell'];

/** A column of text that every table shows. */
export function textColumn(name: string, description: string, cell: Cell): Column {
  return { name, type: 'string', description, priority: 0, cell };
}

/** A column of whole numbers; an absent one counts as 0. */
export function countColumn(
  name: string,
  description: string,
  count: (object: KubeObject) => number | undefined,
): Column {
  return { name, type: 'integer', description, priority: 0, cell: (object) => count(object) ?? 0 };
}

/** A column of text that only `-o wide` shows. */
export function wideColumn(name: string, description: string, cell: Cell): Column {
  return { name, type: 'string', description, priority: 1, cell };
}

/** AGE: how long ago the object was created. */
export const ageColumn: Column = textColumn('Age', 'Time since the object was created.', (object, nowMs) =>
  timeSince(object.metadata.creationTimestamp, nowMs),
);

/** CONTAINERS and IMAGES of pods that are made from a template. */
export function columnsOfTemplate(
  templateOf: (object: KubeObject) => PodTemplateFields | undefined,
  column: typeof textColumn,
): readonly Column[] {
  const listed = (field: 'name' | 'image') => (object: KubeObject) =>
    (templateOf(object)?.spec?.containers ?? []).map((container) => container[field] ?? '').join(',');
  return [
    column('Containers', 'Names of each container in the template.', listed('name')),
    column('Images', 'Images referenced by each container in the template.', listed('image')),
  ];
}

/** The same of a workload. */
export const templateColumns = columnsOfTemplate(({ spec }) => spec?.template, wideColumn);

/** SELECTOR of a workload. */
export const selectorColumn: Column = wideColumn('Selector', 'Label selector of the pods.', (object) =>
  object.spec?.selector ? labelSelectorToString(object.spec.selector) : '<none>',
);
