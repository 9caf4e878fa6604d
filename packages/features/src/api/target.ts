/** What a feature is on its way to. */
export type Target = 'On' | 'Off';
