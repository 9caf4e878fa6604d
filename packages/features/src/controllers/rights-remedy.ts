import type { Feature } from '../api/feature.js';

/** Returns the command that grants the rights that a feature server lacks for a feature; `kind` is that of the task at work. */
export function rightsRemedy({ metadata, spec }: Feature, kind?: string): string {
  const tasks = kind === 'Job' ? ' --tasks FILE' : '';
  const file = kind === 'Job' ? ', where FILE is the one that the server was started with' : '';
  return `for its rights run: slipway feature rbac ${spec.gate} -n ${metadata.namespace}${tasks} | kubectl apply -f -${file}`;
}
