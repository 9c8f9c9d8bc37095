import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../src/net/address-guard.ts';
import { inRange, parseIp, parseRange } from '../../src/net/ip-range.ts';

const refused: Record<string, string[]> = {
  'a loopback address': ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  'a private address': [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fc00::1',
    'fdff::1',
  ],
  'a link-local address': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1'],
  'a carrier-grade NAT address': ['100.64.0.0', '100.127.255.255'],
  'a benchmark address': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'a documentation address': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
    '2001:db8::1',
    '3fff::1',
  ],
  'an unspecified address': ['0.0.0.0', '0.1.2.3', '::'],
  'a multicast address': ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'a reserved address': [
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.8',
    '192.88.99.1',
    '2001::1',
    '100::1',
    '::1.2.3.4',
    '5f00::1',
    '4000::1',
  ],
  'an IPv4-mapped IPv6 address': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:8.8.8.8'],
  'a NAT64 address': ['64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  'a 6to4 address': ['2002:7f00:1::1'],
  'a cloud metadata address': [
    '169.254.169.254',
    'fd00:ec2::254',
    'fd00:0ec2:0::0254',
    'fd00:ec2::23',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
  ],
};
const allowed = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2600::1',
  '2a00:1450::1',
  '3ffe::1',
];

describe('the address guard', () => {
  test.each(Object.entries(refused))('refuses %s with this reason', (what, addresses) => {
    const guard = createAddressGuard();
    for (const ip of addresses) {
      expect([ip, guard.reason(ip)]).toEqual([ip, `${ip} is ${what}`]);
      expect(guard.allows(ip)).toBe(false);
    }
  });

  test('allows public addresses, up to the edges of every special range', () => {
    const guard = createAddressGuard();
    for (const ip of allowed) expect([ip, guard.reason(ip)]).toEqual([ip, undefined]);
  });

  test.each([
    '',
    'localhost',
    '1.2.3',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4.5',
    '256.1.1.1',
    'fe80::1%lo',
    '[::1]',
    '::1::',
    '2600::1 ',
  ])('refuses %j, which is not an address', (text) => {
    expect(createAddressGuard().allows(text)).toBe(false);
    expect(createAddressGuard({ allowPrivate: true }).allows(text)).toBe(false);
  });

  test('opens the local ranges on request, but neither metadata services nor unusable addresses', () => {
    const guard = createAddressGuard({ allowPrivate: true });
    const opened = [
      'loopback',
      'private',
      'link-local',
      'carrier-grade NAT',
      'benchmark',
      'documentation',
    ];
    for (const [what, addresses] of Object.entries(refused)) {
      const expected = opened.some((word) => what.includes(word));
      for (const ip of addresses) expect([ip, guard.allows(ip)]).toEqual([ip, expected]);
    }
  });

  test('opens exactly the given ranges', () => {
    const guard = createAddressGuard({
      allowPrivate: ['127.0.0.0/8', '10.1.0.0/16', 'fd12::/32', '::ffff:127.0.0.0/104'],
    });
    const open = ['127.0.0.1', '10.1.2.3', 'fd12::1', '::ffff:127.0.0.1', '8.8.8.8'];
    const shut = ['10.2.0.1', '192.168.0.1', '::1', 'fd13::1', '169.254.169.254'];
    for (const ip of open) expect([ip, guard.allows(ip)]).toEqual([ip, true]);
    for (const ip of shut) expect([ip, guard.allows(ip)]).toEqual([ip, false]);
  });

  test.each([
    '0.0.0.0/0',
    '169.254.0.0/16',
    '169.254.169.254',
    '169.254.170.2',
    '100.64.0.0/10',
    '168.63.129.16',
  ])('refuses metadata services even if %s is opened', (range) => {
    const guard = createAddressGuard({ allowPrivate: [range, '::/0'] });
    for (const ip of refused['a cloud metadata address']) {
      expect([ip, guard.reason(ip)]).toEqual([ip, `${ip} is a cloud metadata address`]);
    }
  });

  test.each([
    ['IPv4-mapped', '::ffff:169.254.169.254'],
    ['IPv4-compatible', '::169.254.169.254'],
    ['translated', '::ffff:0:169.254.169.254'],
    ['NAT64', '64:ff9b::169.254.169.254'],
    ['local NAT64, /96', '64:ff9b:1:7::169.254.169.254'],
    ['local NAT64, /64', '64:ff9b:1:7:a9:fea9:fe00:0'],
    ['local NAT64, /56', '64:ff9b:1:a9:fe:a9fe::'],
    ['local NAT64, /48', '64:ff9b:1:a9fe:a9:fe00::'],
    ['6to4', '2002:a9fe:a9fe::1'],
  ])('refuses metadata services also as %s addresses', (_, ip) => {
    expect(createAddressGuard({ allowPrivate: ['::/0', '0.0.0.0/0'] }).allows(ip)).toBe(false);
    expect(createAddressGuard({ allowPrivate: [ip] }).allows(ip)).toBe(false);
  });

  test('opens an address that stands for an IPv4 address only together with it', () => {
    const standIns = [
      '::ffff:10.0.0.1',
      '::ffff:0:10.0.0.1',
      '::10.0.0.1',
      '64:ff9b::10.0.0.1',
      '2002:a00:1::1',
    ];
    const withoutIt = createAddressGuard({ allowPrivate: ['::/0', '127.0.0.0/8'] });
    const withIt = createAddressGuard({ allowPrivate: ['::/0', '10.0.0.0/8'] });
    for (const ip of standIns) {
      expect([ip, withoutIt.reason(ip)]).toEqual([ip, '10.0.0.1 is a private address']);
      expect([ip, withIt.reason(ip)]).toEqual([ip, undefined]);
    }
    expect(withoutIt.allows('64:ff9b::8.8.8.8')).toBe(true);
    expect(withoutIt.allows('::1')).toBe(true);
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/x',
    'fe80::/129',
    'private',
    '',
    '10.0.0.1/8',
  ])('refuses the range %j with a remedy', (range) => {
    expect(() => createAddressGuard({ allowPrivate: [range] })).toThrow(/Write /);
  });
});

describe('an IP range', () => {
  const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));

  test('contains an IPv4 address exactly if their first bits are equal', () => {
    fc.assert(
      fc.property(octets, octets, fc.nat(32), (a, b, prefix) => {
        const bits = (parts: number[]) =>
          parts.map((part) => part.toString(2).padStart(8, '0')).join('');
        const first = bits(a).slice(0, prefix).padEnd(32, '0');
        const start = [0, 8, 16, 24]
          .map((at) => Number.parseInt(first.slice(at, at + 8), 2))
          .join('.');
        const same = bits(a).slice(0, prefix) === bits(b).slice(0, prefix);
        expect(inRange(parseIp(b.join('.'))!, parseRange(`${start}/${prefix}`))).toBe(same);
      }),
    );
  });

  test('does not depend on the spelling of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const full = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        expect(parseIp(text)).toEqual(parseIp(full));
        expect(parseIp(text.toUpperCase())).toEqual(parseIp(full));
      }),
    );
  });
});
