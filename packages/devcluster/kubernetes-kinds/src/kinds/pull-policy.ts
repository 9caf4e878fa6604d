/** When an image is pulled. */
export const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
