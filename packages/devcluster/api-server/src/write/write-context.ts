import type { Core } from '../core/core.js';
import type { WriteContext } from '../registry/resource-definition.js';

/** Collects what the rules of a kind may ask about a write. */
export function writeContext({ isEnabled, version, clock }: Core, subresource = ''): WriteContext {
  return { isEnabled, version, subresource, nowMs: clock.now() };
}
