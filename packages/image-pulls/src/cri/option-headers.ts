/** Metadata of a call that carries the proposal's option, and what the call does while no slot is free. */
export const limitHeader = 'slipway-max-parallel-image-pulling';
export const onFullHeader = 'slipway-on-full';

/** The answer header that says the option is understood. */
export const supportHeader = 'slipway-pulls';

/** Maximum of the option, and of every other limit. */
export const maxLimit = 10_000;
