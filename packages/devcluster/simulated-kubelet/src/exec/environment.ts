import type { EnvFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';
import { fieldText, resourceText } from './downward.js';
import { serviceVariables } from './service-variables.js';

/** The variables that a process in the container starts with. Later ones may name earlier ones as `$(NAME)`. */
export function environmentOf(view: ContainerView): Map<string, string> {
  const { pod, container } = view;
  const all = new Map([
    ['PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOSTNAME', pod.spec.hostname || (pod.metadata.name ?? '')],
    ['HOME', '/root'],
    ...serviceVariables(view),
  ]);
  for (const { prefix = '', configMapRef, secretRef } of container.envFrom ?? []) {
    const data = configMapRef
      ? view.lookUp('configmaps', configMapRef.name ?? '')?.data
      : decoded(view.lookUp('secrets', secretRef?.name ?? '')?.data);
    for (const [key, value] of Object.entries<string>(data ?? {})) all.set(prefix + key, value);
  }
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom ? fromElsewhere(view, variable.valueFrom) : expanded(variable.value ?? '', all);
    if (value !== undefined) all.set(variable.name ?? '', value);
  }
  return all;
}

function fromElsewhere(view: ContainerView, from: NonNullable<EnvFields['valueFrom']>): string | undefined {
  const { fieldRef, configMapKeyRef, secretKeyRef, resourceFieldRef } = from;
  if (fieldRef) return fieldText(view, fieldRef.fieldPath ?? '');
  if (configMapKeyRef) return view.lookUp('configmaps', configMapKeyRef.name ?? '')?.data?.[configMapKeyRef.key ?? ''];
  if (secretKeyRef) return decoded(view.lookUp('secrets', secretKeyRef.name ?? '')?.data)[secretKeyRef.key ?? ''];
  return resourceFieldRef && resourceText(view, resourceFieldRef);
}

/** Values of a Secret as text. */
export function decoded(data: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

/** A text of a pod with `$(NAME)` filled in where there is such a variable. */
export function expanded(value: string, known: ReadonlyMap<string, string>): string {
  return value.replace(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (match, name?: string) =>
    name === undefined ? '$' : (known.get(name) ?? match),
  );
}
