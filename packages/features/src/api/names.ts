const gatePattern = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const objectName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Name of the Feature for a gate: the gate in lower case, since object names have
 * no capitals. Undefined when that is not a valid name, so the gate has no Feature.
 */
export function featureName(gate: string): string | undefined {
  const name = gate.toLowerCase();
  return gate.length <= 128 && gatePattern.test(gate) && objectName.test(name) ? name : undefined;
}
