/** The files that make the limiter a service of systemd. */
export interface UnitOptions {
  /** Path of the `slipway` command. */
  readonly command: string;
  /** Path of its PullsConfiguration. */
  readonly config: string;
  /** Where it listens. */
  readonly listen: string;
}

/**
 * The socket is systemd's: while the service restarts, who connects waits instead of failing.
 */
export function socketUnit({ listen }: UnitOptions): string {
  return `[Unit]
Description=Limit of parallel image pulls: the socket of the kubelet
Before=kubelet.service

[Socket]
ListenStream=${listen}
SocketMode=0600
DirectoryMode=0700
RemoveOnStop=no
Backlog=4096

[Install]
WantedBy=sockets.target
`;
}

/** It does not require the runtime: that may restart without us, and we wait for it. */
export function serviceUnit({ command, config }: UnitOptions): string {
  return `[Unit]
Description=Limit of parallel image pulls
After=containerd.service crio.service
Before=kubelet.service

[Service]
ExecStart=${command} pulls serve --config ${config}
ExecReload=/bin/kill -HUP $MAINPID
Restart=always
RestartSec=200ms
TimeoutStopSec=31min
OOMScoreAdjust=-999
MemoryMax=256M
LimitCORE=0
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=/run/slipway /var/lib/slipway
RuntimeDirectory=slipway/pulls
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
StateDirectory=slipway/pulls
StateDirectoryMode=0700
RestrictAddressFamilies=AF_UNIX AF_INET

[Install]
WantedBy=multi-user.target
`;
}
