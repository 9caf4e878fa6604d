/** Fingerprints of the instruction comments of templates since 2019. */
export const knownGuidance: ReadonlySet<string> = new Set(
  `
11ydzf54nn3fn 12sf1pzghfkz5 13a1hsz186x17d 148qwpmx6k784 15g491a1t510no 15n5p1a1kpt6y4 16t1skq1utxmx0
17oxi4m14fzl3k 17unt6k1523v8u 18hjcu1jwtfzr 18kzxuh1i07eu7 19k6071jmre4z 1a05zx18aavv3 1a8e59y10k7dbc
1aga7rcytim26 1b0705m106btck 1b1zbvp1x984in 1bqvzgj18ftlxl 1cotnq8153boay 1ct9fag13uqkiu 1cu6xr6v9wbv0
1dstqwa1r4n5sk 1dx57phg22713 1e0xqcf1lxtrp 1egltgq1rkt4go 1em7v8w1pscbsy 1f7tqba1co19do 1frhitz1uhbi4h
1h2vk601gd8xae 1hek7ed1frj3sj 1iv6ori13hyb7s 1j2pxu31cnvrnp 1jv18iv1v22mfx 1jwqhtpjxyxrb 1kc75qf1tvsmk9
1kvyrr21af3dew 1n14z18lcimta 1ncpj5q1gbzags 1oi3yta1kl8ynw 1pfliy88ep19y 1raozz7lvrsn5 1sdlasgttiye
1syl195dl5qkb 1t4gep11ysl8jr 1vsks4anpfdu4 3rqpatckrmb7 4b6gysfs2mby 50vkhxh26kjj 8oqxiv1jqv7pp 95r0ar1x8uld
9egchds2jogb amuo7j1d1xp6x b5n4of1put9c9 bjiui66sqct0 bxtmrx1u7rnez df9br91o9p46f ex64ks10n2ca f19pk1eyzmy3
huqurb1fy5nfl ip08b51s35inz ja2pi81n3bz36 jgwax8i656p6 jv6nic14zzraq k2wb1f10td1o1 m984qt1gsfcdj
meb0r312dxp89 pm07ysr85rxa r1mq401kmjj1u snd8ym1q62j58 v8e43ya59sbk wozllcjrwco2 wpkamf17p9xwh x7h20n1tr9185
yk0wodvqpaev yu7o4yvgnrd8 z8cd3dzw92gb zdl9vmkdxgjk
`
    .trim()
    .split(/\s+/),
);
