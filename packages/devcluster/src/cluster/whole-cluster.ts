/**
 * The control plane, with all that starts once it answers: one part, read from disk while certificates are
 * issued on another core.
 */
import '../controllers/controller-manager.js';
import '../kubelet/fleet.js';
import './scheduler-run.js';

export { runCluster } from './run-cluster.js';
