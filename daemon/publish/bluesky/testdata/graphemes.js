// usage: make.js MODULES > graphemes.json
// Counts texts as the official PDS does, with its own function, and prints them as JSON.
const path = require('node:path')
const { createRequire } = require('node:module')
const load = createRequire(path.join(process.argv[2], 'package.json'))
const { graphemeLen } = load('@atproto/common-web')
let seed = 20260601
const random = (n) => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor((seed / 2 ** 32) * n) }
// One or more of every class that UAX 29 knows, and conjuncts of each script that has them.
const pieces = ['a', ' ', '\r', '\n', '\r\n', '\t', 'é', 'e\u0301', '\u0308', '\u200d', '\u200c', '\u200b', '\ufe0f', '🏽', '👩', '❤', '🏳', '🌈', '🇩', '🇪',
  '1', '#', '\u20e3', '\u{e0067}', '\u{e007f}', '가', '각', 'ᄀ', 'ᅡ', 'ᆨ', '\u0600', '\u0d4e', 'ا', 'ל', 'ำ', 'น', 'ี', '้', '日', 'あ', '゙',
  'क', 'ष', 'त', '\u094d', '\u093f', '\u093c', 'ক', 'ষ', '\u09cd', '\u09be', 'ਕ', '\u0a4d', 'ક', 'ષ', '\u0acd', 'କ', '\u0b4d', 'க', 'ஷ', '\u0bcd', '\u0bbf',
  'క', 'ష', '\u0c4d', 'ಕ', '\u0ccd', 'ക', 'ഷ', '\u0d4d', 'ක', '\u0dca', 'ကျ', '\u1039', 'ខ', '\u17d2', 'ꯀ', '\uabed', '\u{11013}', '\u{11046}', '\u{11f12}', '\u{11f42}', '\u{1133b}']
const texts = ['', 'क्षत्रिय', 'ज्ञानी लोग', 'हिन्दी', 'ক্ষমা', 'શ્રી', 'ଶ୍ରୀ', 'ಕ್ಷಮಿಸಿ', 'క్షమించండి', 'ക്ഷമ', 'சிங்கப்பூர்', 'ශ්‍රී ලංකාව', 'မြန်မာ', 'ខ្មែរ', 'ภาษาไทย',
  'العربية', 'עברית', '한국어', '日本語のがぎぐげご', 'Tiếng Việt', '👩‍👩‍👧‍👦🇩🇪👍🏽🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'क्ष'.repeat(300), 'e\u0301'.repeat(300)]
for (let i = 0; i < 1500; i++) texts.push(Array.from({ length: 3 + random(12) }, () => pieces[random(pieces.length)]).join(''))
const rows = texts.map((t) => [t, graphemeLen(t)])
process.stdout.write('[\n' + rows.map((r) => JSON.stringify(r).replace(/[\u007f-\u009f\u200b-\u200d\u2028\u2029\ufe0f]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))).join(',\n') + '\n]\n')
