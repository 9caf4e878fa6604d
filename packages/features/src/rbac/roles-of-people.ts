import { type KubeObject, role } from '@slipway/kube';
import { group } from '../api/group.js';

const aggregateTo = (name: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${name}`]: 'true' });

/**
 * Roles for people. Who may view a namespace sees its features; who administers one may turn them. A cluster-wide
 * binding of the editor is about the features of Kubernetes itself, too.
 */
export function rolesOfPeople(): readonly KubeObject[] {
  const kinds = ['features', 'featuredefinitions', 'featureuses', 'featurevectors'];
  const viewer = role('slipway-features-viewer', [
    { apiGroups: [group], resources: kinds, verbs: ['get', 'list', 'watch'] },
  ]);
  const editor = role('slipway-features-editor', [
    { apiGroups: [group], resources: ['features'], verbs: ['patch', 'update'] },
    { apiGroups: [group], resources: ['featuredefinitions'], verbs: ['create', 'patch', 'update', 'delete'] },
  ]);
  const labelled = (object: KubeObject, labels: Record<string, string>) => ({
    ...object,
    metadata: { ...object.metadata, labels },
  });
  return [labelled(viewer, aggregateTo('view')), labelled(editor, aggregateTo('admin'))];
}
