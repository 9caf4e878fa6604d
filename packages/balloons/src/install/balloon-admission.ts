import type { KubeObject } from '@slipway/kube';
import { balloonContainer, keys } from '../api/group.js';
import { type BalloonInstallation, controllerUser } from './balloon-installation.js';

/** Group of the clients that may resize balloon pods, for mode External. */
const resizersGroup = 'slipway:resizers';

interface AdmissionRule {
  readonly name: string;
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  readonly resources: readonly string[];
  /** When it applies, in CEL. */
  readonly when: { readonly name: string; readonly expression: string };
  readonly demands: readonly { readonly expression: string; readonly message: string }[];
}

/** Restricts who may create, change and resize balloon pods, which RBAC cannot distinguish from other pods. */
export function balloonAdmission(installation: BalloonInstallation): readonly KubeObject[] {
  return [touchBalloonsOnly(installation), resizedByResizers(installation), comeFromDaemonSets(installation)].flatMap(
    asObjects,
  );
}

const isBalloon = (object: 'object' | 'oldObject') =>
  `has(${object}.metadata.labels) && '${keys.balloon}' in ${object}.metadata.labels`;

function touchBalloonsOnly(installation: BalloonInstallation): AdmissionRule {
  const isSame = [
    'before.name == after.name && has(before.resources) == has(after.resources)',
    '(!has(after.resources) || before.resources == after.resources)',
  ].join(' && ');
  return {
    name: 'slipway-balloons-touch-balloons-only',
    operations: ['UPDATE'],
    resources: ['pods', 'pods/resize'],
    when: { name: 'our-controllers', expression: `request.userInfo.username == '${controllerUser(installation)}'` },
    demands: [
      { expression: isBalloon('oldObject'), message: 'the balloon controllers may change balloon pods and no others' },
      {
        expression: `object.spec.containers.all(after, after.name == '${balloonContainer}' || oldObject.spec.containers.exists(before, ${isSame}))`,
        message: `of a balloon pod only container ${balloonContainer} is resized`,
      },
    ],
  };
}

function resizedByResizers(installation: BalloonInstallation): AdmissionRule {
  const isOurs = `request.userInfo.username == '${controllerUser(installation)}'`;
  return {
    name: 'slipway-balloons-are-resized-by-resizers',
    operations: ['UPDATE'],
    resources: ['pods/resize'],
    when: {
      name: 'balloons',
      expression: `request.namespace == '${installation.balloons}' && ${isBalloon('oldObject')}`,
    },
    demands: [
      {
        expression: `${isOurs} || '${resizersGroup}' in request.userInfo.groups`,
        message: `write the NodeSize of the node instead; only group ${resizersGroup} may resize a balloon pod itself`,
      },
    ],
  };
}

/** The controller manager, which on some clusters has no account of its own for each controller. */
const daemonSetControllers = [
  'system:serviceaccount:kube-system:daemon-set-controller',
  'system:kube-controller-manager',
];

function comeFromDaemonSets({ balloons }: BalloonInstallation): AdmissionRule {
  const makers = daemonSetControllers.map((user) => `'${user}'`).join(', ');
  return {
    name: 'slipway-balloons-come-from-daemon-sets',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    when: {
      name: 'becomes-a-balloon',
      expression: `${isBalloon('object')} && (request.operation == 'CREATE' || !(${isBalloon('oldObject')}))`,
    },
    demands: [
      {
        expression: `request.operation == 'CREATE' && request.namespace == '${balloons}' && request.userInfo.username in [${makers}]`,
        message: `label ${keys.balloon} is for pods of the balloon DaemonSets; what it marks does not count as used`,
      },
    ],
  };
}

function asObjects({ name, operations, resources, when, demands }: AdmissionRule): readonly KubeObject[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name };
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources }] },
        matchConditions: [when],
        validations: demands,
      },
    },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}
