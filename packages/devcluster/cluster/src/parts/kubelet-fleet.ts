export { KubeletFleet } from '@slipway/simulated-kubelet/fleet';
