import {
  FeatureDefinition,
  featureManifests,
  type LocalTasks,
  rightsOf,
  serverAccount,
  stampVersion,
} from '@slipway/features/server';
import {
  InformerFactory,
  type Kube,
  type KubeObject,
  type Logger,
  policyRule,
  role,
  roleBinding,
  stderrLog,
} from '@slipway/kube';
import { ClusterObjects } from '../installation/cluster-objects.js';

/** Who the feature servers of a local cluster are to its API server: what they are where `slipway install` put them. */
export const serverUser = {
  name: `system:serviceaccount:${serverAccount.namespace}:${serverAccount.name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${serverAccount.namespace}`, 'system:authenticated'],
};

/** Gives feature servers the rights that `slipway install` gives them, and those that the tasks of their own file need. */
export async function grantServerRights(kube: Kube, tasks: LocalTasks | undefined, signal: AbortSignal): Promise<void> {
  const objects = await ClusterObjects.of(kube, signal);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: serverAccount.namespace } };
  await objects.apply(namespace);
  await applyAll(objects, [
    ...featureManifests({ stampVersion: await stampVersion(kube, signal) }),
    ...jobRights(tasks),
  ]);
}

/**
 * Gives feature servers what each definition needs, as soon as it is there, until it is stopped: on a cluster of their
 * own people are not asked to run `slipway feature rbac`. Rights outlive their definition, whose feature may still be
 * turned off.
 */
export async function keepDefinitionRights(kube: Kube, signal: AbortSignal, log: Logger = stderrLog): Promise<void> {
  const objects = await ClusterObjects.of(kube, signal);
  const informers = new InformerFactory(kube, { log });
  informers.informer<FeatureDefinition>(FeatureDefinition).onChange(({ type, object, previous }) => {
    if (type === 'deleted' || previous?.metadata.generation === object.metadata.generation) return;
    applyAll(objects, rightsOf(object).objects).catch((error: unknown) => {
      if (!signal.aborted) log.warn('a feature server lacks rights', { feature: object.spec.gate, error });
    });
  });
  signal.addEventListener('abort', () => void informers.stop(), { once: true });
  informers.start();
}

/** Namespaces first, for what goes into them. */
async function applyAll(objects: ClusterObjects, wanted: readonly KubeObject[]): Promise<void> {
  for (const object of wanted.filter(({ kind }) => kind === 'Namespace')) await objects.apply(object);
  await Promise.all(wanted.filter(({ kind }) => kind !== 'Namespace').map((object) => objects.apply(object)));
}

/** Jobs run in the namespaces that the operator's file names, which need not be there yet. */
function jobRights({ jobs = {} }: LocalTasks = {}): readonly KubeObject[] {
  if (Object.keys(jobs).length === 0) return [];
  const rules = [policyRule('batch', ['jobs'], ['get', 'create', 'delete']), policyRule('', ['pods'], ['list'])];
  const runner = role(`${serverAccount.name}-jobs`, rules);
  return [runner, roleBinding(runner, serverAccount)];
}
