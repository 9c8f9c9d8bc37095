/** Broken pages as they occur, and the accepted differences from a conformant parser. */

export const BROKEN_PAGES: [what: string, page: string][] = [
  ['an empty page', ''],
  ['a page of one character', '<'],
  ['a tag that the page cuts short', '<a href=x>1<a href="y'],
  ['a quote that is never closed', '<a href="x>1</a><a href=y>2</a>'],
  ['a quote closed by the next link', '<a href="x>1</a><a href="y>2</a><a href="z">'],
  ['attributes without spaces between', '<a class="c"href="x"rel=\'nofollow\'>'],
  ['a repeated attribute', '<a href=first href=second>'],
  ['attributes on an end tag', '</p title="<a href=no>"><a href=x>'],
  ['an equals sign where a name should be', '<a ="<a href=x>" href=y>'],
  ['two equals signs', '<a href=="x" title=\'>\'>'],
  ['a value that is missing', '<a href=><a href= ><a href=\n>'],
  ['a slash in an unquoted value', '<a href=x/><a href=y/z/ >'],
  ['slashes between attributes', '<a/href=x/title=y><a / / href=z>'],
  ['upper case everywhere', '<A HREF=X REL=NOFOLLOW><AREA HREF=Y><BASE HREF=/z/>'],
  ['line ends in an address', '<a href="x\r\ny\tz"><a href=" a b ">'],
  ['a base after the links', '<a href=x><base href="/late/"><base href="/later/"><a href=y>'],
  ['a base without address before one with', '<base target=_top><base href=/b/><a href=x>'],
  ['a base that is no URL', '<base href="http://["><a href=x>'],
  ['a base in a script scheme', '<base href="javascript:x"><a href=x>'],
  ['a base in another scheme', '<base href="ftp://f/"><a href=x><a href=//h/y>'],
  ['a fragment with a base', '<base href="/b/c"><a href="#f">'],
  ['a fragment without a base', '<a href="#f"><a href="?q#f">'],
  [
    'links in comments',
    '<!-- <a href=no> --><!--><a href=a><!---><a href=b><!-- --!><a href=c><!-- -- > <a href=no> -->',
  ],
  ['a comment that never ends', '<a href=x><!-- <a href=no>'],
  ['a conditional comment', '<!--[if IE]><a href=no><![endif]--><![if !IE]><a href=x><![endif]>'],
  ['processing instructions', '<?xml version="1.0"?><a href=x><?php echo "<a href=y>" ?>'],
  ['a CDATA section in HTML', '<![CDATA[<a href=x>]]><a href=y>'],
  ['a doctype with a quoted angle', '<!DOCTYPE html PUBLIC "a>b"><a href=x>'],
  [
    'links in scripts',
    '<script>"<a href=no>"</script><a href=x><script>a</script ><a href=y><script>b</scriptx></script/><a href=z>',
  ],
  ['a script hidden in a comment', '<script><!--\n"<a href=no>"\n//--></script><a href=x>'],
  [
    'a script in a script in a comment',
    '<script><!-- <script> </script> <a href=no> --></script><a href=x>',
  ],
  ['a script whose comment closes at once', '<script><!--><script></script><a href=x>'],
  ['a script that never ends', '<script><a href=no>'],
  [
    'links in styles, text areas and titles',
    '<style><a href=no></style><textarea><a href=no></textarea><title><a href=no></title><a href=x>',
  ],
  [
    'old elements of raw text',
    '<xmp><a href=no></xmp><noembed><a href=no></noembed><iframe src=f><a href=no></iframe><a href=x>',
  ],
  ['plain text', '<a href=x><plaintext><a href=no></plaintext>'],
  [
    'noscript',
    '<head><noscript><link rel=next href=n><meta http-equiv=refresh content="0;url=r"></noscript></head><noscript><a href=x></noscript>',
  ],
  [
    'templates',
    '<template><a href=no><template><a href=no></template><a href=no></template><a href=x></template><a href=y>',
  ],
  ['a template that never ends', '<a href=x><template><a href=no>'],
  [
    'character references',
    '<a href="?a&amp;b&lt=c&copy=d&copy;&notin;&#x41;&#66&#xZ;&bogus;&;&"><a href=&#104;ttp&colon;//h&sol;>',
  ],
  [
    'a title with references and spaces',
    '<title>\n A &amp; B &notit; &nbsp;\n</title><title>second</title>',
  ],
  ['a title in a picture', '<svg><title>picture</title></svg><title>page</title>'],
  [
    'frames',
    '<frameset cols="1,2"><frame src=a><frame src=b><frame><noframes><a href=no></noframes></frameset>',
  ],
  [
    'kinds of link',
    '<link rel="Next" href=n><link rel=PREV href=p><link rel=previous href=q><link rel="canonical nofollow" href=c><link rel="alternate" href=a><link rel="alternate stylesheet" href=no><link rel=icon href=no><link href=no>',
  ],
  [
    'refreshes',
    '<meta http-equiv=refresh content="5"><meta http-equiv=Refresh content="0; URL=\'a\'x"><meta http-equiv=refresh content="1,b"><meta http-equiv=refresh content=".5 url = c"><meta http-equiv=refresh content="x;url=no"><meta http-equiv=refresh content="3url=no">',
  ],
  [
    'other schemes',
    '<a href="mailto:a@b"><a href="javascript:x"><a href="tel:1"><a href="data:text/html,x"><a href=http:y><a href="http://">',
  ],
  ['a picture closed by what surrounds it', '<div><svg><style></div><a href=x>'],
  ['HTML that ends a picture', '<svg><g><p><a href=x><style><a href=no></style>'],
  [
    'font in a picture',
    '<svg><font><style><a href=in></a></style></font><font color=red><style><a href=no></style></svg>',
  ],
  ['a picture without an end', '<svg><a href=x><path><a xlink:href=y>'],
  ['NUL characters', '<a\0 href=no><a href=x\0y><a h\0ref=no>'],
];

interface Difference {
  readonly what: string;
  readonly why: string;
  readonly page: string;
  readonly ours: string[];
  readonly theirs: string[];
}

export const ACCEPTED: Difference[] = [
  {
    what: 'a link in a select is taken',
    why: 'parse5 follows the older rule; the relaxed select (whatwg/html#10548) keeps it',
    page: '<select><option><a href=x></option></select>',
    ours: ['a x'],
    theirs: [],
  },
  {
    what: 'a frame outside a frameset is taken',
    why: 'the tree builder drops it; its author meant a page, and telling needs the tree',
    page: '<p><frame src=f>',
    ours: ['frame f'],
    theirs: [],
  },
  {
    what: 'links beside the frames of a frameset are taken',
    why: 'a tree with a frameset has no body; a crawler does not mind reading what a browser would not show',
    page: '<frameset><frame src=f><a href=x></frameset><a href=y>',
    ours: ['a x', 'a y', 'frame f'],
    theirs: ['frame f'],
  },
  {
    what: 'a stray end tag of HTML ends a picture',
    why: 'whether such an element is open around it is known only to the tree; in real pages it is',
    page: '<svg></div><link rel=next href=n>',
    ours: ['next n'],
    theirs: [],
  },
  {
    what: 'HTML left open in a picture does not keep the picture open',
    why: 'the same: the elements inside are not tracked',
    page: '<svg><foreignObject><div></foreignObject><style><a href=x></a></style></svg>',
    ours: ['a x'],
    theirs: [],
  },
];
