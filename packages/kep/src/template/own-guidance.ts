/** Fingerprints of the instruction comments of our own templates. A test holds them to `templates/`. */
export const ownGuidance: ReadonlySet<string> = new Set(
  `
118q3bcyq702u 12w948n158tp39 1444cux1dlczs3 167sl7rzsjngd 16csv9haqad8j 16eins510ymt5n 173y0v6r420sg
194bsbiv911po 19z1kne1gsx358 1bjhco3g0vrdx 1cc1554v7th7a 1ft7curnka6ed 1g05tot1k3aze3 1g6a156ty2lkk
1ghmg1qldu1n0 1hqsthkrbj2ki 1ls1vfo2nqh9y 1ph1tjh522z7z 1qsg4uthh080v 1u3a6twt38b7a 1vh99bp1ajexar
1vxwg2w1erzvd2 1y1rg9q2e7v3o 1ylevvf55efpp 26g3njhjnmul 2nar48up88vq 3tyc3o1kelvzq 44zp24sunbn6 5cb3tfj0ylw5
84x6nkbfxt2y 88rw8rj0sp2p 8vka1j1cdw6qt 9iamz4iawbk6 9vxwy5e0qvs cx7xg912tgaf etfgmxyspb3f h5ua0l1fpbxzf
i6sfk61brcosc jfi0vrs12zql lu7gxqxajnm4 mh3q6n1o413a1 og1w145awrxy qeayid1v9j4o7 qkob9q1vderow qxpcbnl2u22h
r6n0crp39ktp sbaq3w1a6ezga sk3qn71k76y31 t3svjs1brl4eu trb2tu18bxvc0 uxwa1bwutswt vekjtxro8syj y5xzd118zdlcz
z1yu2x1gv2dzr
`
    .trim()
    .split(/\s+/),
);
