import type { KubeObject } from '@slipway/kube';
import { balloonAdmission } from './balloon-admission.js';
import { type BalloonInstallation, ordinaryInstallation } from './balloon-installation.js';
import { controllerRights } from './controller-rights.js';
import { rolesOfPeople } from './roles-of-people.js';

/**
 * Returns the API objects that balloons need beside their kinds and the process itself: service account and rights of
 * the controller, roles for people, and admission policies for balloon pods. The namespace must exist.
 */
export function balloonManifests(installation: BalloonInstallation = ordinaryInstallation): readonly KubeObject[] {
  return [...controllerRights(installation), ...rolesOfPeople(), ...balloonAdmission(installation)];
}
