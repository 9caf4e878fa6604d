/** API group of the kinds about image pulls. */
export const group = 'pulls.slipway.dev';
export const version = 'v1alpha1';
