export { KubeletFleet } from '@slipway/simulated-kubelet/fleet';
export { presentImages } from '@slipway/simulated-kubelet/images/present-images';
