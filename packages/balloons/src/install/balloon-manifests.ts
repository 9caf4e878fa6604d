import type { KubeObject } from '@slipway/kube';
import { balloonAdmission } from './balloon-admission.js';
import { type BalloonInstallation, ordinaryInstallation } from './balloon-installation.js';
import { controllerRights } from './controller-rights.js';
import { rolesOfPeople } from './roles-of-people.js';

/**
 * Everything of the API that balloons need beside their kinds and the process itself: who the
 * controller is and what it may do, roles for people, and admission policies that tell
 * balloons from other pods. The namespace has to be there.
 */
export function balloonManifests(installation: BalloonInstallation = ordinaryInstallation): readonly KubeObject[] {
  return [...controllerRights(installation), ...rolesOfPeople(), ...balloonAdmission(installation)];
}
