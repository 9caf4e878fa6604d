import fc from 'fast-check';

// Tests import fast-check through this file: vitest.config.ts says so, and which seed it is.
fc.configureGlobal({ seed: Number(process.env.SLIPWAY_SEED) });

export default fc;
