import type { KubeObject } from '@slipway/kube';
import { dynamicPolicyObjects } from '../operations/install-dynamic-policy.js';
import { reporterRoleObject } from '../operations/install-reporter-role.js';
import { agentRights } from './agent-rights.js';
import { rolesOfPeople } from './roles-of-people.js';
import { serverRights } from './server-rights.js';

/**
 * What of the API the feature server needs beside its kinds and the process itself, and the roles of people and of
 * those who report. The namespace has to be there.
 */
export function featureManifests(options: { readonly guards?: boolean } = {}): readonly KubeObject[] {
  const { guards = true } = options;
  return [reporterRoleObject(), ...rolesOfPeople(), ...serverRights({ guards }), ...dynamicPolicyObjects()];
}

/** The same for node agents. The role of reporters has to be there. */
export function nodeAgentManifests(): readonly KubeObject[] {
  return agentRights();
}
