// SPDX-License-Identifier: Apache-2.0
// A lock client of Node.js that is told what to do line by line. Arguments: library, port, key, name of this process, file for the history.
'use strict';

const fs = require('fs');
const readline = require('readline');
const Redis = require('ioredis');

const [library, ports, key, name, file] = process.argv.slice(2);
const clients = ports.split(',').map((port) => new Redis(Number(port), '127.0.0.1'));
const patience = 10;

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

function redlock(module) {
  const settings = { retryCount: 0 };
  const manager = new module(clients, settings);
  manager.on('error', () => {});
  const acquire = manager.acquire ? (ttl) => manager.acquire([key], ttl) : (ttl) => manager.lock(key, ttl);
  const release = (lock) => (lock.release ? lock.release() : lock.unlock());
  return { acquire, release, extend: (lock, ttl) => lock.extend(ttl) };
}

function universal() {
  const { IoredisAdapter, createLock, createRedlock } = require('redlock-universal');
  const adapters = clients.map((client) => new IoredisAdapter(client));
  const make = (ttl) =>
    adapters.length === 1
      ? createLock({ adapter: adapters[0], key, ttl, retryAttempts: 0 })
      : createRedlock({ adapters, key, ttl, retryAttempts: 0 });
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

const locks = {
  redlock4: () => redlock(require('redlock')),
  redlock5: () => redlock(require('redlock5').default),
  'redlock-universal': universal,
}[library]();

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
    if (!(await acquire(10000, 2000))) {
      note('FAIL', 'ACQUIRE');
      continue;
    }
    note('OK', 'ACQUIRE');
    const before = Number(await clients[0].get(counter));
    await clients[0].set(counter, before + 1);
    written++;
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
