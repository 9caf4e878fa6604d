import { type Kube, silentLog } from '@slipway/kube';
import { type FeatureServerOptions, featureServer } from '../controllers/feature-server.js';

/** Runs a feature server that may do all it can, and returns what stops it. */
export function serve(kube: Kube, options: Partial<FeatureServerOptions> = {}): () => Promise<void> {
  const usual = { identity: 'test', authors: 'Trust', allowDynamic: ['*'], log: silentLog, random: () => 0.5 } as const;
  const server = featureServer({ kube, ...usual, ...options });
  const stopping = new AbortController();
  void server.start(stopping.signal);
  return async () => {
    stopping.abort(new Error('over'));
    await server.stop?.();
  };
}
