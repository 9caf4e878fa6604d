import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionHook, AdmissionReader } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import { balloonClassName, systemClasses } from '@slipway/kube-objects/kinds/priority-class-system';

/** The namespace of balloon pods: users of other namespaces must not create pods that cannot be preempted. */
const systemNamespace = 'kube-system';
const stored = 'priorityclasses.scheduling.k8s.io';

interface Priority {
  readonly className: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

/**
 * Gives a new pod the value and the preemption policy of its priority class, or of
 * the default class when it names none. A pod cannot set them itself.
 */
export const resolvePriority: AdmissionHook = ({ operation, resource, subresource, object, old }, reader) => {
  if (resource.group !== '' || resource.plural !== 'pods' || subresource !== '') return;
  if (operation === 'UPDATE') return keepPriority(object, old);

  const { spec } = object;
  const refuse = (why: string) => forbidden(resource, object.metadata.name ?? '', why);
  const priority = spec.priorityClassName
    ? named(spec.priorityClassName, reader)
    : (globalDefault(reader) ?? { className: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' });
  if (!priority) throw refuse(`no PriorityClass with name ${spec.priorityClassName} was found`);
  if (priority.className === balloonClassName && object.metadata.namespace !== systemNamespace) {
    throw refuse(`pods with ${balloonClassName} priorityClass are only permitted in the ${systemNamespace} namespace`);
  }
  const { className, value, preemptionPolicy } = priority;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; ` +
        `priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; ` +
        `priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  if (className !== '') spec.priorityClassName = className;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
};

/** Writers that leave the computed fields out do not mean to change them. */
function keepPriority(object: KubeObject, old: KubeObject | undefined): void {
  for (const field of ['priority', 'preemptionPolicy']) {
    if (object.spec?.[field] === undefined && old?.spec?.[field] !== undefined) object.spec[field] = old.spec[field];
  }
}

function named(name: string, reader: AdmissionReader): Priority | undefined {
  const found = reader.latest(stored, '', name)?.object;
  if (found) return priorityOf(found);
  // Those of the system hold from the first moment on, before anything created them.
  const builtIn = systemClasses.get(name);
  return builtIn && { className: name, ...builtIn };
}

/** Of several defaults, which a race can leave behind, the lowest counts. */
function globalDefault(reader: AdmissionReader): Priority | undefined {
  const classes = defaultClasses(reader).map(priorityOf);
  return classes.sort((a, b) => a.value - b.value)[0];
}

function defaultClasses(reader: AdmissionReader): KubeObject[] {
  return reader
    .list(stored, {})
    .entries.map(({ object }) => object)
    .filter(({ globalDefault }) => globalDefault === true);
}

function priorityOf({ metadata, value, preemptionPolicy }: KubeObject): Priority {
  return {
    className: metadata.name ?? '',
    value: value ?? 0,
    preemptionPolicy: preemptionPolicy ?? 'PreemptLowerPriority',
  };
}

/** There is one default priority class at most. */
export const requireOneDefaultPriority: AdmissionHook = ({ resource, object }, reader) => {
  if (resource.storedAs !== stored || object.globalDefault !== true) return;
  const name = object.metadata.name ?? '';
  const other = defaultClasses(reader).find(({ metadata }) => metadata.name !== name);
  if (!other) return;
  const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`;
  throw forbidden(resource, name, why);
};
