import { type KubeObject, policyRule, role, roleBinding } from '@slipway/kube';
import { group, serverNamespace } from '../api/group.js';

const aggregateTo = (name: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' });

/**
 * Roles for people. Who may view a namespace sees its features; who administers one may turn them. A cluster-wide
 * binding of the editor is about the features of Kubernetes itself, too. Every authenticated user may see whether a
 * feature server lives, without which nothing that a person asks for is done.
 *
 * The author's role comes with no namespace: the feature server guards, lists and clears the objects that a
 * definition names in every namespace, with its own rights.
 */
export function rolesOfPeople(): readonly KubeObject[] {
  const kinds = ['features', 'featuredefinitions', 'featureuses', 'featurevectors'];
  const viewer = role('slipway-features-viewer', [
    { apiGroups: [group], resources: kinds, verbs: ['get', 'list', 'watch'] },
  ]);
  const editor = role('slipway-features-editor', [
    { apiGroups: [group], resources: ['features'], verbs: ['patch', 'update'] },
  ]);
  const author = role('slipway-features-author', [
    { apiGroups: [group], resources: ['featuredefinitions'], verbs: ['create', 'patch', 'update', 'delete'] },
  ]);
  const labelled = (object: KubeObject, labels: Record<string, string>) => ({
    ...object,
    metadata: { ...object.metadata, labels },
  });
  const liveness = role(
    'slipway-server-liveness',
    [policyRule('coordination.k8s.io', ['leases'], ['get', 'list', 'watch'])],
    serverNamespace,
  );
  const everybody = roleBinding(liveness, { kind: 'Group', name: 'system:authenticated' });
  return [labelled(viewer, aggregateTo('view')), labelled(editor, aggregateTo('admin')), author, liveness, everybody];
}
