/** A request to a port of a pod, over HTTP. */
export interface PodRequest {
  readonly address: string;
  readonly port: number;
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  /** Of a POST. */
  readonly body?: string;
}

/** The network between simulated pods: it leads to what answers in the simulation, and nowhere else. */
export interface PodNetwork {
  /** Sends a request. Undefined where no pod has that address, or what would answer there is not simulated. */
  request(request: PodRequest): Promise<Response | undefined>;
}
