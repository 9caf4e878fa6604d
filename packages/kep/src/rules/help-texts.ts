/** Why a rule is there, and how to satisfy it, as Markdown. */
export interface RuleHelp {
  readonly why: string;
  readonly fix: string;
}

/** The help of a rule, as its page in `docs/reference/rules/` has it. A test holds it to the pages. */
export function helpOf(rule: string): RuleHelp | undefined {
  const line = texts.split('\n').find((each) => each.startsWith(`${rule}\t`));
  const [, why = '', fix = ''] = line?.split('\t') ?? [];
  return line === undefined ? undefined : { why, fix };
}

const texts = `
KEP001	A file of more than 2 MiB is not a proposal; the largest known proposal has 170 KB and 300 headings. Headings beyond 20,000 are read as text.	Move recordings and generated files next to the README and link them.
KEP002	Other encodings show as garbage on every page that renders them.	Save the file as UTF-8.
KEP003	Tools that look at the first characters, such as those for front matter, stumble over it.	'slipway kep fix' removes it.
KEP004	Mixed line ends make some editors show every line as changed.	'slipway kep fix' gives all lines the ending that most of them have.
KEP005	A dash or a quote that went through Windows-1252 shows as three odd letters.	'slipway kep fix' puts the character back.
KEP006	What a reviewer cannot see, a reviewer cannot review.	'slipway kep fix' removes it.
KEP007	Text copied from a rendered page lost its nesting and its comments, and carries line numbers or buttons.	Copy from the raw view. 'slipway kep fix --unsafe' removes what stands before the text, not what was lost.
KEP008	A comment without an end hides the rest of the document from every reader.	Close it with '-->'.
KEP009	A code block without an end turns the rest of the document into code.	Close it with as many marks as it was opened with.
KEP012	Lines above 20,000 characters are data; their text is not checked.	Move the data into a file of its own.
KEP101	Each stage requires more. A missing section is a missing decision.	Write it. 'slipway kep fix' inserts the heading where the template has it. A section whose text begins with "Not applicable" or "N/A" needs nothing below it.
KEP102	Cluster operators ask these questions before they turn a feature on.	Answer it. 'slipway kep fix' inserts the question where the template has it. Where none of them applies, write "Not applicable" and why below the heading of the section; nothing below it is asked for then.
KEP103	Readers look for the title they know, and tools too.	Give the section the title of the template; 'slipway kep fix' does.
KEP104	A heading at another level belongs to another section, and the table of contents shows it there.	Use the number of # of the template; 'slipway kep fix' does where every section stays part of what it is part of.
KEP105	Reviewers read many proposals, and find things where they always are.	Move the section.
KEP106	Everything that lists proposals shows the title.	Begin with '# KEP-<number>: <title>'.
KEP107	A second heading of level 1 is mostly a section that lost a #.	Use ## for sections.
KEP108	Links and lists name proposals by number.	Write '# KEP-<number>: <title>'.
KEP109	Templates grow. What was added since is what reviewers learned since.	Move the text under the heading of the present template: 'slipway kep template show' prints it.
KEP111	Metadata without a README describes nothing.	Write 'README.md', for example with 'slipway kep new'.
KEP201	A heading with only the text of the template says nothing.	Write what the section is for.
KEP202	An open question of the questionnaire is an open risk.	Answer it; No is an answer where it is one.
KEP203	TBD is a promise, not an answer.	Answer it, or say when it will be known and who finds out.
KEP204	Every change has risks and alternatives. N/A says that none were considered.	Say why there are none.
KEP205	A tick without a name does not help to find the gate.	Fill in the line below the tick.
KEP206	The release team works from it.	'slipway kep fix' copies it from the template.
KEP207	Items marked (R) have to be done before a release takes the enhancement. Items about GA are due at stable, and those about the production readiness review once the stage is approved.	Do them, then tick them.
KEP208	A list without any tick was never used.	Tick what is done.
KEP209	'implemented' says that all is done; an open required item says that it is not.	Tick what is done, or leave the status.
KEP210	It says that owners may ask for better tests of existing code before the change is merged.	Tick it.
KEP211	A proposal with open disputes cannot be implementable.	Settle it, or take it out of scope.
KEP212	Without the end it is unclear what is settled.	Write '<<[/UNRESOLVED]>>' where it ends.
KEP301	They were for the author. Readers of the source have to read around them.	'slipway kep fix' removes those of sections that are filled in.
KEP302	It tells how to begin, and the proposal has begun.	'slipway kep fix' removes it.
KEP303	Every reader of the source sees notes to oneself.	Write it into the text, or take it out.
KEP304	Angle brackets with nothing filled in show as nothing at all on GitHub.	Fill in the gap, or remove the line.
KEP305	NNNN is where the number of the tracking issue goes.	Write number and title; where 'kep.yaml' has the number, 'slipway kep fix' takes it from there.
KEP306	A TODO in a proposal that is to be built is an open question without a mark.	Settle it, or put it between UNRESOLVED marks.
KEP307	'[]' and '[x]text' show as text.	Write '[ ] text' or '[x] text'; 'slipway kep fix' does.
KEP310	'-->' inside a comment ends it, and the rest of the instructions shows.	Remove what is left over.
KEP390	What could not be read, or made a rule fail, was not checked. All other proposals and rules are.	Give the person who runs the check the right to read the file; if a rule failed, report it with the file. 'slipway kep check' ends with 3, because not all is known.
KEP401	Long documents need one, and the checks of kubernetes/enhancements ask for it.	'slipway kep fix' writes it below the title, between '<!-- toc -->' and '<!-- /toc -->'.
KEP402	Readers follow broken links, and do not find all sections.	'slipway kep toc --write', or 'slipway kep fix'.
KEP403	The generator counts equal titles in another way than GitHub does.	Give the headings different titles.
KEP404	The generator of kubernetes/enhancements leaves out headings with blanks before them or a tab behind their marks, and most of those in lists and in HTML elements such as '<details>'. Readers of GitHub see them all.	'slipway kep fix' takes blanks and tabs away. Move other headings out of the list or element, or write them in bold.
KEP405	A reader who follows the link finds nothing.	Correct the path. An address needs 'https://' and no parentheses; definitions of references ('[name]: path') are checked where they are used.
KEP406	A reader who follows the link stays where they are.	Use the anchor of the heading.
KEP407	'[text][name]' without a definition shows with its brackets.	Write '[name]: https://...'.
KEP408	A closing mark with less indentation than its item opens a new code block; GitHub shows the rest as code.	Indent the closing mark like the opening one.
KEP501	Tools that cannot read it leave the proposal out.	Correct the line.
KEP502	A misspelt field is not read by any tool.	Correct the name.
KEP503	Without them the proposal cannot be listed, assigned or released.	Add the field.
KEP504	It decides whether production readiness is checked, so a typo would switch the check off.	Write one of provisional, implementable, implemented, deferred, rejected, withdrawn, replaced.
KEP505	What is asked of the proposal depends on it.	Write one of alpha, beta, stable, deprecated, disabled, removed.
KEP506	'implemented' says that nothing is left to do, and beta says that something is.	Set the stage to stable (or removed, disabled), or the status to implementable.
KEP507	Tools compare them; text cannot be compared.	Write for example '"v1.37"'.
KEP508	'0.0' takes the proposal out of the production readiness review.	Write the release that it is for.
KEP509	Queries for 'v1.37' do not find '1.37'.	'slipway kep fix' writes the v.
KEP510	A beta before its alpha is a slip in one of the two.	Correct the milestone.
KEP511	Boards and reports show them.	Add the field.
KEP512	Only a handle with @ is notified about changes.	Write '"@handle"' or '"@org/team"'; 'slipway kep fix' adds the @.
KEP513	Only YYYY-MM-DD sorts and is read alike everywhere.	Write for example 2026-11-20.
KEP514	A group that does not exist reviews nothing.	Use the directory name of the group in sigs.yaml.
KEP515	Operators of a component must know its gates.	Name the gate in UpperCamelCase, and the components as their binaries are called.
KEP516	A sentence cannot be looked up.	Write the name of the family, with labels in braces if needed.
KEP517	A link to a moved proposal leads nowhere.	Write '/keps/<group>/<number>-<name>' or a URL; 'slipway kep fix' does for a proposal that only moved.
KEP518	A reader of the old one has to find the new one.	Fill in 'superseded-by'.
KEP519	Operators plan their way back before they switch something on.	Write 'disable-supported: true' or 'false'.
KEP520	Without a gate there is no way back but another release.	List the gate in 'feature-gates'.
KEP521	What cannot be observed cannot be operated.	List the metrics in 'metrics'.
KEP522	It would be taken for the truth.	Write the real value.
KEP523	The tools of kubernetes/enhancements read 'kep.yaml' and production readiness files strictly: one text where a list belongs, or a key that they do not know, makes them refuse the whole file.	Write the kind of value that the message names.
KEP530	What it builds on may never come.	Look at why the other proposal was closed.
KEP541	Lists, links and reviewers go by the metadata.	Write the field. Which there are, and from which stage on, is in 'documents' of '.slipway/kep.yaml'.
KEP542	What is asked of the document depends on its fields, and programs read them.	Write a value that 'documents' of '.slipway/kep.yaml' allows; 'slipway kep fix' corrects a slip of the fingers.
KEP543	An undeclared field is mostly a misspelt one, and no tool reads it.	Correct the name, or declare the field in 'documents' of '.slipway/kep.yaml'; 'otherFields: true' allows any.
KEP544	What is said twice is wrong once.	Make the name of the file, the heading and the field say the same. The field is the one with 'is: number' or 'is: title'; the heading is compared where that of the template has '{number}'.
KEP601	Links are made from either.	Rename the directory, or correct 'kep-number'.
KEP602	The number is that of the tracking issue, and there is one.	Find out whose it is.
KEP603	Owners files of the directory decide who approves.	Move the directory, or correct 'owning-sig'.
KEP604	A copied title sends readers to another proposal.	Correct the title; 'slipway kep fix' does when directory and 'kep.yaml' agree.
KEP605	Lists show one, readers see the other.	Use the same words.
KEP606	The release team takes one, the board shows the other.	Correct one of the two.
KEP607	It is unclear when it was, or will be, available.	Fill in 'milestone'; 'slipway kep fix' takes 'latest-milestone'.
KEP611	From v1.21 on every stage needs an approval before it is built.	'slipway kep fix' begins the file that the message names; then name the approver.
KEP612	The approval of alpha says nothing about beta.	'slipway kep fix' adds the stage; then name the approver.
KEP613	A person has to read it.	Write 'approver: "@handle"'.
KEP614	Production readiness has its own approvers.	Ask one of the alias prod-readiness-approvers; 'slipway kep fix --unsafe' corrects a typo.
KEP615	Otherwise it approves something else.	Correct 'kep-number'.
KEP616	As everywhere in 'kep.yaml'.	'slipway kep fix' writes it.
KEP617	It approves a proposal that does not exist: the proposal moved to another group, or has another number.	Move the file to the group of the proposal, correct its number, or remove it. Reported only when all proposals are checked.
KEP618	A misspelt status or an invalid milestone takes the proposal out of the review.	Correct the value.
KEP619	The approver of the stage read other answers. Checked only with 'slipway kep check --since'.	Ask the approver of the stage to read them again.
KEP621	sig-node assigns reviewers and approvers to single proposals. They are marked '# sig-node-assigned-reviewer' and '# sig-node-assigned-approver' in 'kep.yaml', and the OWNERS file beside it lists exactly these people, so that they can approve. From v1.36 on a proposal has such an approver or a member of 'sig-node-tech-leads'; at alpha, in the release that is being worked on, only the latter.	Name a member of 'sig-node-tech-leads' among the approvers, or mark the approver in 'kep.yaml' and list them in OWNERS. 'policy.profiles: [sig-node]' of '.slipway/kep.yaml' turns the rule on; 'policy.release: v1.37' says which release is being worked on.
KEP701	Operators type what the text says; the release notes take what the metadata says.	Correct the one that is wrong; 'slipway kep fix --unsafe' takes the name of 'kep.yaml'.
KEP702	Readers must know which gate to set.	Name the gate under "How can this feature be enabled / disabled".
KEP703	Tools read the metadata.	Add it to 'feature-gates'.
KEP704	Each of them has to be restarted with the gate.	Correct the one that is wrong; 'slipway kep fix --unsafe' adds to each what the other has.
KEP705	Dashboards are built from the list.	Add it to 'metrics'; 'slipway kep fix --unsafe' does.
KEP706	A number needs an explanation.	Say what it means under "What are the SLIs"; 'slipway kep fix --unsafe' corrects a typo.
KEP707	Readers will rely on the wrong one.	Correct the one that is wrong.
KEP711	From beta on many rely on what the proposal says.	Run 'slipway kep verify' and commit what it writes.
KEP712	It was for other claims, or for a release that is no longer in use.	Run 'slipway kep verify --write' again.
KEP713	A cluster showed something else.	Correct the proposal or the component, and run 'slipway kep verify --write' again.
KEP714	A simulated cluster does what we think that a real one does.	Run 'slipway kep verify --write' against a real cluster.
KEP715	Evidence is written by a run, not by hand.	Remove the file and run 'slipway kep verify --write' again.
KEP801	Without it, users cannot tell that it is there.	Add a part for the stage.
KEP802	A history without dates is a list.	Begin each line with its date or release.
KEP803	Readers look there for when it came.	Add a line for the stage.
KEP804	Existing tests have an address. Templates ask for it since v1.25; a text that says why there is no test to link to is enough.	Link the tests and where they run.
KEP805	A feature that every cluster has must behave alike in every cluster.	Name the conformance tests in the criteria of GA, or say that the feature is optional.
KEP806	People need time to try it and to report what is wrong.	Plan GA two releases after beta.
KEP807	The question asks for one: a gate, or something else.	Tick the one that is used.
KEP808	What is built after beta was never tried by users.	Move it to beta.
KEP901	Reviewers comment on lines.	Wrap the text.
KEP902	A tab is as wide as the reader's editor makes it.	Use blanks.
KEP903	Every later reader sees a typo.	'slipway kep fix' writes the word as it is spelt.
KEP990	The next reader wants to know whether it still holds. Only required with 'suppressions.requireReason'.	Write the reason behind the rule.
KEP991	One that hides nothing today hides something by accident tomorrow.	'slipway kep fix' removes it.
`;
