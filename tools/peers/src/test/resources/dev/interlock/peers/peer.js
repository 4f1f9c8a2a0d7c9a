// SPDX-License-Identifier: Apache-2.0
// A lock client of Node.js that is told what to do line by line. Arguments: library, port, key, name of this process,
// file for the history.
'use strict';

const fs = require('fs');
const path = require('path');
const readline = require('readline');
const Redis = require('ioredis');

const [library, ports, key, name, file] = process.argv.slice(2);
const clients = ports.split(',').map((port) => new Redis(Number(port), '127.0.0.1'));
const patience = 10;

// Longer than a process stands still on a busy machine, and shorter than that of ours.
const lease = 60000;

// One hold in so many is extended.
const extended = 10;

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

function redlock(module, settings) {
  const manager = new module(clients, settings);
  manager.on('error', () => {});
  const acquire = manager.acquire ? (ttl) => manager.acquire([key], ttl) : (ttl) => manager.lock(key, ttl);
  const release = (lock) => (lock.release ? lock.release() : lock.unlock());
  return { acquire, release, extend: (lock, ttl) => lock.extend(ttl) };
}

function universal(settings) {
  const { IoredisAdapter, createLock, createRedlock } = require('redlock-universal');
  const adapters = clients.map((client) => new IoredisAdapter(client));
  const make = (ttl) =>
    adapters.length === 1
      ? createLock({ adapter: adapters[0], key, ttl, ...settings })
      : createRedlock({ adapters, key, ttl, ...settings });
  return {
    async acquire(ttl) {
      const lock = make(ttl);
      return { lock, handle: await lock.acquire() };
    },
    async release({ lock, handle }) {
      if (!(await lock.release(handle))) {
        throw new Error('not held');
      }
    },
    async extend(held, ttl) {
      if (!(await held.lock.extend(held.handle, ttl))) {
        throw new Error('not held');
      }
      return held;
    },
  };
}

const { directory, once, always } = {
  redlock4: {
    directory: 'redlock',
    once: () => redlock(require('redlock'), { retryCount: 0 }),
    always: () => redlock(require('redlock'), { retryCount: -1 }),
  },
  redlock5: {
    directory: 'redlock5',
    once: () => redlock(require('redlock5').default, { retryCount: 0 }),
    always: () => redlock(require('redlock5').default, { retryCount: -1 }),
  },
  'redlock-universal': {
    directory: 'redlock-universal',
    once: () => universal({ retryAttempts: 0 }),
    always: () => universal({ retryAttempts: 1e6 }),
  },
}[library];
const locks = once();

let held;

async function acquire(ttl, wait) {
  const until = Date.now() + wait;
  for (;;) {
    try {
      held = await locks.acquire(ttl);
      return true;
    } catch (e) {
      if (Date.now() >= until) {
        return false;
      }
      await pause(patience + Math.random() * patience);
    }
  }
}

// Waits as the library does, with its own pauses; only how often it tries is ours to say.
async function lock(ttl) {
  held = await always().acquire(ttl);
  return true;
}

function version() {
  const of = (name) => JSON.parse(fs.readFileSync(path.join(__dirname, 'node_modules', name, 'package.json'))).version;
  return `${of(directory)}, ioredis ${of('ioredis')}, Node.js ${process.versions.node}`;
}

async function attempt(action) {
  try {
    await action();
    return true;
  } catch (e) {
    return false;
  }
}

const release = () => attempt(() => locks.release(held));

const extend = (ttl) =>
  attempt(async () => {
    held = await locks.extend(held, ttl);
  });

async function load(seconds, counter) {
  const history = fs.openSync(file, 'w');
  let sequence = 0;
  const note = (type, op) =>
    fs.writeSync(
      history,
      `{"sequence":${sequence++},"nanos":${process.hrtime.bigint()},"process":"${name}","type":"${type}","op":"${op}","lock":"${key}"}\n`,
    );
  const until = Date.now() + seconds * 1000;
  let written = 0;
  // Whoever polls may find the lock taken throughout.
  while (Date.now() < until || written === 0) {
    note('INVOKE', 'ACQUIRE');
    if (!(await acquire(lease, 2000))) {
      note('FAIL', 'ACQUIRE');
      continue;
    }
    note('OK', 'ACQUIRE');
    const before = Number(await clients[0].get(counter));
    await clients[0].set(counter, before + 1);
    written++;
    if (written % extended === 0 && !(await extend(lease))) {
      throw new Error('the lock could not be extended');
    }
    // The release tells of another value, but not of another time to live. Of several servers one may have voted for
    // somebody else.
    const left = await clients[0].pttl(key);
    if (clients.length === 1 && left > lease) {
      throw new Error(`somebody has extended this lock to ${left} ms`);
    }
    note('INVOKE', 'RELEASE');
    note((await release()) ? 'OK' : 'FAIL', 'RELEASE');
    await pause(Math.random() * patience);
  }
  fs.closeSync(history);
  return written;
}

async function obey(line) {
  const [verb, first, second] = line.split(' ');
  switch (verb) {
    case 'acquire':
      return (await acquire(Number(first), Number(second))) ? 'yes' : 'no';
    case 'lock':
      return (await lock(Number(first))) ? 'yes' : 'no';
    case 'version':
      return version();
    case 'release':
      return (await release()) ? 'yes' : 'no';
    case 'extend':
      return (await extend(Number(first))) ? 'yes' : 'no';
    case 'load':
      return String(await load(Number(first), second));
    default:
      throw new Error(`what is "${line}"?`);
  }
}

(async () => {
  console.log('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(await obey(line));
  }
  process.exit(0);
})();
