/** Words of the placeholders in documentation and examples, and frequent words of passphrases. Longer forms need no entry: `changed`. */
const LONG = `
about above access account actual admin after again all always another anything app auth bad base64 basic battery because before
below best better between bits blah both brown build byte bytes cafe babe dead beef can cat change char chars character check choose
cipher client code company config container cookie copy correct could create crypto data database day deadbeef debug default delete demo
dev develop deploy different digit docker docs dog dont each easy edit else empty encrypt enough ensure enter entropy env environment
ever every example exchange fake file fill finding first fixme foo bar baz for forget from fox generat get give good guess hard hardcode
hash have hello here hex hmac horse host http hunter2 idea insecure insert insecur instead into issue itself jump just jwt keep key
keyboard knows kubernetes last later lazy least length less let letter letmein like line list little local long look lorem ipsum dolor
made make many master maximum may message min minimum monkey more most much must mysecret name need never new next node nobody none
not nothing null now number old once one only open openssl org other our out output over own paste pass password pepper phrase place
placeholder please post postgres prod product project provide public put quick qwerty qwertyuiop asdf asdfghjkl zxcv zxcvbnm rand random
read real redact remember remove replac reset result root run safe salt same sample save scan secret secure security see seed
server service session set shared should sign simple site some something staging staple start stop store string strong
sudo super sure svc take team tell temp test than that the their them then there these they thing this those time tmp todo token
too top trial true trust two uniq unknown unguess unsafe until update use user uuid valid value variable verify version very visible
want was web welcome what when where which who will with word work world would write wrong xxxx yes you your zero
private prefix suffix passw0rd tenant findings bearer api apikey
`;
/** Between other characters only, because short words occur in random secrets. */
const SHORT =
  'a am an and any are as at be but by do go had has he her him his how i id if in is it its me my no of off ok on or per so to up us via we why ed er ing ion ly s d';

const list = (text: string) => text.trim().split(/\s+/);

const byLength = list(LONG).toSorted((a, b) => b.length - a.length);
const PATTERN = `${byLength.join('|')}|(?<![a-z\\d])(?:${list(SHORT).join('|')})(?![a-z\\d])`;

/** Finds the words in a text in lower case. */
export const PLACEHOLDER_WORDS = new RegExp(PATTERN, 'g');
