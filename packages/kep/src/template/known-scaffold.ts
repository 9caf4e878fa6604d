/** The generations of the template that had a line: places in `templateDays`, both included. */
export interface Generations {
  readonly first: number;
  readonly last: number;
}

const days = `
2017-12-19 2017-12-21 2018-01-08 2018-01-11 2018-02-11 2018-02-19 2018-02-20 2018-08-07 2018-12-01 2019-01-29
  2019-02-05 2019-02-07 2019-02-08 2019-02-15 2019-06-27 2019-11-15 2020-03-11 2020-05-06 2020-05-11 2020-05-14
  2020-05-18 2020-06-24 2020-10-01 2020-10-06 2020-10-11 2020-12-15 2021-02-08 2021-04-20 2021-04-21 2021-04-27
  2021-05-07 2022-02-03 2022-02-04 2022-03-08 2022-04-26 2022-06-20 2023-01-27 2023-02-16 2023-03-13 2023-07-25
  2025-01-23 2025-01-29 2025-04-14 2025-04-22 2025-05-09 2025-06-18 2025-09-08 2025-09-10 2025-11-20
`;

/** Fingerprints of lines behind the generations that had them; `?` for lines of templates that are not in the history. */
const prints = `
? 1q8ql98126v3kq 77gw9a9xx8hc auv5ll1ciqdtv b2i7bm1v35z2w gkfaxhgej5qn l2jxhgufykua pd4mvx1h9o58f w1dowmkag0w
0-15 11n9ztyqw5kww 13orlorlydqlp 16qwviq2883gs 1f0h88y1kw3fkg 1i2z94256ntcs 1m308g91twmur7 1mj4kut1y634er
  1ncf1iy12hd48g 1u57i31li2skh 1ubxaqu67ndco 1x816yckadkiy 1xeygiy1sdh2e8 1ybml7hmmvi0z 1zmxva5s5sg0 42t3771eet0ax
  4ll7gh1s2xbhf 5lwmci1w0dptk 5obe4y1xlcndc 8o2z6vfzzwwh dgzlgt1fhh8f fqy36a8spqg8 pauuqc1f8a4eu pefbj47ipsyq
  qqgqq3s2sfr1 r03c3x7gw4cb so72wm139m5r0 u63fbv1tozqqt u7u7ed9wkx03 upgev4klzltu v9xraz3bx6ht x53wng10mdlty
  x6mg7clqyvye
0-9 1a9gu2y1ugv71w qtm0wzve4s6d
0-2 18nuqqv1edel0h i10oy13cf4l8
0-4 15uoqm41573up6 1ctj951qk9fyz 1v1h3db19hn4ad tivw93th0xch
0-0 1rofsz1t6mzr9
0-13 1eodl07qi545l 1ite9hph6ffuf xhsmajn80oq1
0-48 10lwach1cka03r 12va3bb1p70db5 14tjnbz29f169 1dpifmoby57y6 1drcnu3184vkhx 1fmrgk1nzruvu 1tavkbb12nfmjt
  1vijq8c1jg91zu 1wafb1d56bqsv 2hm87agepzp 2rh6kuoq3wy0 5c14or1n2zgf1 6zp4mi1i1mi8g aoos3cvj2fjm hggbce1rw8e3s
  rikw8rkry67p
0-47 1uwmwm81rhcwnm tqnxk0tkyztu
0-11 14j053e1ae4j4k 1hdvvjr17y9uex 1u87owmrrtfo8 gvqxskpiulnm rtfh5p1r9zk5v
0-20 112f7ggm1gohq 15v40eozhgl6y 1mnq93a1v3ab7c cn7c1uozmfu8
0-3 1gtiuz517nmbrv
1-1 5e5v0uvhufrw
2-12 cktukw1nxuu9i
3-4 1dsdf6awfhxk 1o85jssztkdd6 8thqjavskzwo
4-15 8bm4zj11u2jk9
5-15 1irl3t916nhzjz 1m992z01je64fi 1o4kq5t1sozpan 1pmjgurinwmi5 1uuvr32i1ave8 2ayexlhtcmzb 73yluj1403jcx 94c8pk1odx35u
  juwicd1sagxgj lontvj1w8nvt9 pimr4poxhugj uzsadj1b3h9b1
5-9 1a99cslsfn5ur 1p0tt4v1uprnjd 1rd0jnz5c1y4p isjfap1o704mn
5-5 444r8opjz082
6-15 148rmbu1htlm8g
7-15 19ugku2vkieq8 1pq40zw77kbh2 w1uizfw0nbad
9-15 1sv8uhh79axs3
10-11 1wsdjpyrw9c98
11-11 11docr0r5cq4m 136xjkj1yru97p 1bopoz81fher9i 1or07hu1syd2ts 1qfmndl1d7wnxb 1rg3xhnpzh7pt 1ryjadv1uryb69
  9z14pgj88sxm a6dnawrcntu2 cebmnedx5qc0 fc4lhebfmmek iw8zeh116xm7v mam2ocbi8t3m q703w01k05l2e vb3oov15h1pmh
11-20 18o3dkl1olpyfj 1vy2ktoqbs1iy 2maxfs7tgi6u 7xcbg4137g0e2
11-15 1b35mvo13adwuu 1ece1qxh7seh7 1lx321z9zr2bh 1tvsw1mdjpbo4 4z3gkp1cziqvf kxyxf9dtucv3
11-48 1yqn2m4h6273y 7dkjqdoahaab 7vy5d81u5c2lq b5xzi817xltzu
12-15 10cl4r9vxw0i3 1104t6hz2dxib 12ml11w1whwij6 16prfshjykpgv 18dodiwmlncjy 1b5wxrb16ug7i9 1dp3q6t8582db
  1es6hi6zt8pjk 1esift31s24qyh 1gzkj7c13qkexm 1hmwxpj1t9r3vl 1o5gra31fnw2p9 1oojj7rj5hs0x 1ps46sp4f020z 1qfegc0ot2cvu
  1x0cx5lyx5x87 6zadz2ryiupk e2ecld8n2cr f6370m8kjtss hx1kya4kaez4 jantru3sr7o0 m0824r1itsbhl m0wybz2mkd11 ol82j21v0fguw
  q24aky13qf504 qfnu8cdiey8q t4ae88iedcju wveenhnq9h6r zqewct9dj1i7
12-48 117lynpysrajn 11a20tl18p3l4n 11mw0tu1lrl1v8 11mzewq62imv0 12pxpu91m71wxn 149vognia6rcx 19ndvk91bb1st3
  1b1h8us13lnk92 1czhygi1skszvw 1ia6hrkdj35y 1nq08snorq66l 1ohvbn3jvrz79 1syl195dl5qkb 61b6r1lucbgr 9mecomam92yo
  ehkxj38g82sd ej5hv83j9u5 fqg0looji2gu k7fjpo1snhzve uypyyt17z3t2f wp3rv7tsqvzd
12-13 8xlv3yduk808 93bxfs1889g82
12-16 18iw5zp1np9ifz ugou061rsic4w zousx518htd1z
12-20 115fa4r10ugyot 1830khj5uhx4h 2joq61res8m4 zkkpuc1i28mei
12-33 1nhpmjf171wic5 1qej80a1rgy3ok 4d250j1ajalqh
12-29 1prgrlc1h79t0i
12-14 gu23ap153it43
13-15 g4fg9ybcq1a4
14-15 154xlm8nzrlke 1kyokri10zjvqk 1vu0zc8xv5qn6
15-15 10eboq7f2pvyp
16-48 101kj6g1174smq 11lduxcs701uq 122fjpc1b32eou 12hflrnnquu6h 14o9wydjga1oz 14vwcsu17g76qs 15qneh22icn8c
  16wc4p32b9oyx 1b951yz1xmwly1 1bybf8991zg53 1c0mvu479w3bq 1c6j22lcdxu7j 1ckescfx109c1 1dx57phg22713 1evqxsf9d0i5
  1f7uf5niy9jt5 1fskngp1qb2217 1ghp6yr15ulvtd 1hwvwhd8m0h1z 1je3a6lf56877 1jnzs3xgpxclb 1kbyrdb1q25shx 1kosd6j2vcrr9
  1l8zk9ludjc5f 1lthoxv1nx844p 1qtbi0lro3kq7 1t4668ov33qci 1vra26fs33s2x 1w1pg6t9pwslr 1w44cse281khw 1wyeq0doh2rg7
  1x29bm11a5axfv 3kqdozzkc0a 4hkuqlrnn163 54kvfd1cw8qy3 56br3q35jys 7vkaiyi2k50s 8up6fu1wnonnc 952740d9elqy
  95shz61nm0zn8 9xehx2uxdc2c bbmwd61qs750 bf40qj6fzabl bnv8mn128anht c10gqh348s4b cal5i9qjfe8z cnxzbd13ei5d7
  cuo5oq1c0sqaw h6wljs1t0lxv6 lchot1m1uygb mlowyw1m3kv0i oizrmpm31u23 p8gp8c1hwn08m ql8fytb5ch7v qq1zk8dp30c6
  rcy26q32xqgc rfrxer1b9mt2x rtirbc1kb6eym rxsfmi837b64 t0x92te1oqbf tnqjyi1l46rtg u0c1mf18t9cp unfs0z1dvkthp
  vdtigqsoo4xs vu7v2xcop4br xov1o817h8jay
16-20 16hw8eatnfe2s 1cj2l231i56ibd 1gsppvotbjfh6 1hr3yrkvyx4lu 1rvrrt1akqd5b 1vjukdxnqq51b 1vspy661updvw4 4by62lnm6lff
  6q5m1xtlnfgj dn9n00136rm7u h61l771ev9wux jte95i1ux4u4c tksxj4143l40u tljzy61c2zl8c u87xyhifamcr xpblnetca7ss
  yamcc7160nhg5
16-16 14s4wzm1hnhpic 1c1kwfa117mtfw
16-23 1trrqnx4b6mdf fxf3r6x862cw
16-33 p3jjjtq6nzkb
16-31 17fc8fmbll6h8 hg4w1ck7s4k6 v7bpgq16idbfk
16-29 1m9ij5w1wcwwwm 1vr5r6ak60o5o d3ovcq182h8y0
16-38 1lkicj110vhnlf 1t9htrlh9ijeb kymvz4u6bj66
17-48 10l05sn1tcyf2d 11bnzh31wej03l 12lb2uetqmy8c 12phz0r1ahnwn9 13n570h7na7 142nzlz1jq2fot 14sikt417mtk26
  19af6dji9i7gp 1cq0o8wkkf6na 1d5aud51yk9u0n 1dhyyqd1tsp8uf 1e4dhp1drfng7 1e5cdp31sceggp 1erqnb23jvsv8 1fat97p1dnk7eb
  1gwhn4g1qy78ia 1i6d7bauv8edk 1jmn5klyivvcf 1jrjq8y7mfy40 1k6jmk7x2myzp 1ksh57n7vjop1 1l1dcri1j6xthg 1lr0w2z1xgl6i1
  1m81o3g1whhcvy 1mqu8s8l319si 1ngn04vm10pxp 1nvrsas1oya3ay 1o7w6pvwt1v0t 1pauktw1nfu526 1q8p4dc8e2zt2 1qc6bpr1t41azl
  1qkwfjn1alelvl 1qxcii21kkevn8 1swdb8x5avvgz 1t7jp53afqkb5 1tha3cv1j5z0ql 1uub9ti1wxiot0 1webg2j130hi4x 1wgup1jgs37et
  1wpkugv12q987d 1wqvccn1x0jvux 1xch8c6xdgao 1xh5c7mc2397k 3vjfe1lahaw8 4qfqoarvgimo 5q50qiehw1a4 8srewv1dx6r1t
  9fnyce3xckd0 a4djr7q4dkpp aogwc1isj98z d0viz61ihr208 edzgoczocdxu ehd98a1l4d7xw esoshd196hrez hm41ubkvlo7t
  hotqfs149i04y ipwuo4dzsxzm iq03vv1it8qal k7z8u71vfjvs9 ka7iyj8astxp lk0ou9nyt83j mfjeqk1mvqsy6 o6hg3ppkr00n
  py41iy1i4lck4 pzdbnx1c367ln q4z6vw16ep0i q9o8mq1y4jg0s qkto9yppaj90 sswxp81xh4qwq t1kl2sculhzm tmphj3qrfilt
  uk3q6j2bdyw5 vmgwoc1tm2x8e vx3e8u34jn50 yuz0ok1c10o0a yvxpj61s89q2s zd2vr1qr1p79
17-26 c8yc1cpljfpi
17-24 1frrfd1pbc1en
17-20 126bjj31j6sfpp 15pzye313by7gx 1614kevezxip9 164zggf14yv2hl 18xltfh1u2pwvj 1agwg6y1h1vjag 1boqftep4i2iw
  1f48mj96v24b3 1ij9ez7wdui35 1jnfeog15h22ja 1m14gfz1pvsltl 1nb8fgi1gkqh1c 1pvehjq1hbmud8 1q12r121x5l4d8 1qleykun9xl9s
  1qww9hf4fn4h 1wkopfgo54iey 1xzuolp1bbtmhv 2jvtrh18rvdnr 5wbn1cqv2zzi 94ys2fnt47y5 9624iigln2u8 967qk1q9avt7
  au8o1od1x32a bj2272xjmw18 bpieloqcn1au dr6s8yvokiwc jf9oxpxfdlk7 msueu7172wz1 n56fzp9jlv9n ns8r2si775d2 o3ndthbctzhv
  q32gspfcudir quoine47am1c tg9h2z7sailx vp2q3qckx3i8 zs5lkmscznes
17-23 195zzkoba236q 1dxjfa674ofr4
17-25 12agte7lesjpt 140l8i3r0dd4x 157mfy3pa0nn1 19p34gr1s1uv9x 1bbqorbel3in1 1dsu4s3axzdpd 1edhhj014pxd8m
  1irhv8e3m80nc 1plh0j41lxj7b6 1u8wau81yauuxu 1u9086a1hxrps8 1ymw9y71burztt 8ywqem15qz254 bmaaq4114dc32 mstuyx1bswxg7
  nn8dg1ribr57 pqnpmq181mw44 rsjcva1fgm9qc yxmr3711zpi8t zbt6xlzojezb
17-36 5thd07wv4oxh
17-29 1f332g2q8o3hk
18-25 qn98rz1o5s1sd
18-48 12at4cbfday7x 1b0705m106btck 1qk1sg1f8yqob
18-20 1ydwkcb1yynp1x
19-25 1jn7zeg9lsmhq
20-47 11wg6ac2vvcxq 15phpnl1m7over cdq023d94jc9 merpf61rfvuds
21-48 10qpxeqgobqag 11p9z031acuyv9 13rz96vuf1wo 14u9tmm1b29di8 17d6ahy1pxly70 17ed0yd17hx543 19zd5mj17mpwmp
  1aopsc8sesl7u 1ec7q08e0sxpq 1f8t6cjy6kybd 1gq19os15rnbsa 1gq6cgobowxw2 1it721b1u0urtd 1ixqli813bq0om 1j2z06m1adkgr4
  1jp329f14nje1 1kc40jg1n369du 1kt4r2c1n1mjre 1l1safhkj8jz 1mqx5hgwvy6y 1mqxzkd5m32iz 1nl60c81g6novm 1oth46ajoty50
  1pfenjmq8naz4 1qay4y41vhjldq 1rh1jf1w05z23 1rlf5e812jdr5a 1rmedg8rcrvcm 1sjmcnh1epj2qj 1ugco9b9a1ql 1ugfkww14xd116
  1vgboj0ndfj0u 6go1x210ku920 6qtgs91mk3n63 7cwygpde4olf 7mksc7q9x5xt 9w405x1gcckxf aoyhwmx7lq80 ey8rae7z2w60
  fxbeceyjz7j8 ja3lbnwfpf0p jop4m71dv5xb9 qpq9jn15q84ot qwe5o5wgu8a3 u6yd0p1059d4n uzvqfkgok8pe v0oi0o1sj5h4m
  vnz8bw161mgly wb0x9s182yk1u xkrs7i5adwyk yqudc316uivgp
21-33 1awfvfh1c0605z 1iuzt73zdhpoh
21-23 115kks2kk3s5o bkeor1g0w647
21-25 16i0vqps4gyg3 17lzmsw1pnt286 1dtitfa142l7z0 1gq0g7jw2o0v1 c4p7l314ha6yl jgyaz517qchqz k4zbn8erzg6e
21-29 19zo3x0120ho4a h8n4arf0edc
22-48 10iamx11z15ir 1u33gmud43a1s
23-48 1pr49bp156aq2z
24-48 1532l5y1ifbx5o 1d1l2ti1mwvjjg 1edto13q2a269
24-24 16kua7llrfot7
25-48 9w59ve1hbfdt4 kmrw9fxdmw55
26-48 11sehyikh36sk 1h2vk601gd8xae 1h3zkrc5i62u2 95r0ar1x8uld bjikw61v1qzac ip08b51s35inz kurz9a1su0e7w lrk7e1xad9gj
  mbd6kg1jmgngq t61bop1b0j2a3 te7u2t15cbxxz tn6utaoc6hrs yk0wodvqpaev
27-48 10cnsj51778f27 1519l0h1dn2667 18i0wou12ddn90 1ak0jzn149ooj5 1b0ae9y10nm1yw 1gx6e72b64jz0 1kf411w9zjzhq
  1y04x5t1rv9krz 1yhrza8ule8fe 589chwxy99ha 79r27n17ylyi1 8xno53vdkah5 duq4aw13g3xm6 xwqg9upfch4g
28-48 bogmz61uga8ts h3aw3a1d11l9k jth9rj1pflv5l p7jrw625x06g
29-48 i24ph962nvxb nza7ma1nk98ro
29-34 1hf99171rdkkdt
29-45 c4q0xpi4zs0n
30-48 1kxh79k1dny5dy 1yjwcwz16gtqi1 v4b7x1thjo4b
31-48 10z5fbhryupmn 14chghe1kmap98 172vxr41btnk4i bd2zpxrxuqlj k855uh8t35gj
32-48 184oe6cx81l92 18q29g42yiyne 1dy346e11g0iqs 1iqom48x1nu8y 1oxbrs81lnrgmu 1qczeqs173swc6 1qjgt31djh93z
  jf2rityj11kn o8kuah16avlir wvyeaxqf4yk x1ah3t160ddsr
34-48 13rxikudjwpcc 14adkau3n65js 1ckn4fo1u0jsa 1h4mppxh1t6bn 1hh0txiqiwvrg 1ieoflu1jd1d8s 1iql20xref2xf 1iupg4lliuivf
  1j3djuhz6fpv7 1mxpowo5nsc1y 1o51ft03bym4u 1qtrhw21uyetgs 1uf1k0bsije7l 1v4l9w9xfhanv 1x488a71po9wup 1yt7fb31sku55h
  7vv5xo1h5zbqm 8eadt21rr1e6k ab6jvc97ff1e auddu5k2lrq7 cdq9i21yvosl8 erxmuj1c95fcl lkyhit6a3cab tgbiq81uuhsbq
  ulswat19n6bgz
34-44 14nzill18fz55b 1n7muk01vk5lfy 1nhbnou1yxth3s
35-48 196j16s1orbavi
36-48 12cnp2yyxjc30 14xqzg016x1fiu 1cjleel1vy0qlv 1wya81evg0sis 1xjpuei52m9qc tctyz81rdneve
37-48 1n16qg2kdh3ss
38-44 fivttjvunv9
38-48 13smdru1a0zinw 1bs0vui1ekrjm4 1xubxzu1ywtv00
39-48 fyp5b31d224cx hxv7e6tvfbus qb04wm1od49g8
40-48 114zk72mxn4es 1evaoywf6x9tu 1m4ksp8cv00k2 1r5vaqdd700p3 1uwjvwxrvfl03 5gkmb139mfth 8cbc8h4yjvdn c9ip2cidfhe2
  fymuql1ezbsv7 hy1592syy168 ru7m121xr000c u28c8c1sxuou6
41-48 1fujj58hfn79m
42-48 11lfty91ilt7eb 1c042ve1a50zr4 1l6pz611a8t0xf 9dqj0xqsvkyz w5eo2wxr2cie
42-42 cn4vdvsh3jzh h4qhduv4ngc
44-48 11izqr410cme1e 17qw12r12b3n3p ld9ub1454xtz
46-48 yygcmo1t41dpq
48-48 16elyna3aadjs 19mi95g1q3mcna
`;

/** Days on which the template of kubernetes/enhancements changed, the oldest first. */
export const templateDays: readonly string[] = days.trim().split(/\s+/);

/** Fingerprints of the lines that templates bring along: they answer nothing. Undefined generations are not known. */
export const knownScaffold: ReadonlyMap<string, Generations | undefined> = readPrints();

function readPrints(): ReadonlyMap<string, Generations | undefined> {
  const found = new Map<string, Generations | undefined>();
  let span: Generations | undefined;
  for (const word of prints.trim().split(/\s+/)) {
    const [, first, last] = /^(\d+)-(\d+)$/.exec(word) ?? [];
    if (first !== undefined) span = { first: Number(first), last: Number(last) };
    else if (word === '?') span = undefined;
    else found.set(word, span);
  }
  return found;
}
