// usage: relay.js MODULES DIR PORT
//
// A Nostr relay on 127.0.0.1 that keeps events in memory. MODULES is the directory in
// which install.sh installed it. Writes DIR/ready.json when it accepts connections. If
// AUTH is set to a host name, clients must authenticate themselves (NIP-42) before they
// publish, and the relay expects that name in their proof.
const fs = require('node:fs')
const http = require('node:http')
const { createRequire } = require('node:module')
const path = require('node:path')

const [modules, dir, port] = process.argv.slice(2)
const load = createRequire(path.join(modules, 'package.json'))
const { NostrRelay } = load('@nostr-relay/core')
const { EventRepository, EventUtils, LogLevel } = load('@nostr-relay/common')
const { WebSocketServer } = load('ws')

class Memory extends EventRepository {
  events = new Map()
  isSearchSupported() {
    return false
  }
  upsert(event) {
    const isDuplicate = this.events.has(event.id)
    if (!isDuplicate) this.events.set(event.id, event)
    return { isDuplicate }
  }
  find(filter) {
    const wanted = Object.entries(filter).filter(([name]) => name.startsWith('#')) // which EventUtils leaves out
    const tagged = (event) => wanted.every(([name, values]) => event.tags.some(([tag, value]) => '#' + tag === name && values.includes(value)))
    const matches = [...this.events.values()].filter((event) => EventUtils.isMatchingFilter(event, filter) && tagged(event))
    return matches.sort((a, b) => b.created_at - a.created_at).slice(0, filter.limit ?? 1000)
  }
  async deleteByDeletionRequest(deletion) {
    for (const [tag, id] of deletion.tags) {
      if (tag === 'e' && this.events.get(id)?.pubkey === deletion.pubkey) this.events.delete(id)
    }
  }
  async destroy() {}
}

const hostname = process.env.AUTH || undefined
const relay = new NostrRelay(new Memory(), { hostname, logLevel: LogLevel.ERROR, filterResultCacheTtl: 0 })
const server = http.createServer((_, response) => response.end('a Nostr relay'))
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket) => {
  relay.handleConnection(socket)
  socket.on('message', async (data) => {
    try {
      const message = JSON.parse(data.toString())
      if (message[0] === 'EVENT' && !relay.isAuthorized(socket)) {
        socket.send(JSON.stringify(['OK', message[1].id, false, 'auth-required: publishing needs authentication']))
        return
      }
      await relay.handleMessage(socket, message)
    } catch (error) {
      socket.send(JSON.stringify(['NOTICE', `error: ${error.message}`]))
    }
  })
  socket.on('close', () => relay.handleDisconnect(socket))
  socket.on('error', () => {})
})
server.listen(Number(port), '127.0.0.1', () => {
  fs.writeFileSync(path.join(dir, 'ready.tmp'), JSON.stringify({ url: `ws://127.0.0.1:${port}` }))
  fs.renameSync(path.join(dir, 'ready.tmp'), path.join(dir, 'ready.json'))
})
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(0))
