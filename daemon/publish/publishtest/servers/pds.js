// usage: pds.js MODULES DIR PORT PLC_PORT
//
// A Bluesky personal data server and the identity directory that it needs, both
// the official ones, on 127.0.0.1. MODULES is the directory that install.sh put
// them in, DIR takes the data. Writes DIR/ready.json when an account with an app
// password exists. ACCESS_TTL, such as 3s, is how long access tokens last.
const crypto = require('node:crypto')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const net = require('node:net')
const path = require('node:path')

const [modules, dir, port, plcPort] = process.argv.slice(2)
const load = createRequire(path.join(modules, 'package.json'))
const url = `http://127.0.0.1:${port}`
const account = { handle: 'alice.test', email: 'alice@example.com', password: crypto.randomBytes(12).toString('hex') }
const jwtSecret = crypto.randomBytes(16).toString('hex')

// Both servers listen on every address unless they are kept from it.
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (where, ...rest) {
  const given = typeof where === 'object' && where !== null ? where : { port: Number(where) }
  return listen.call(this, { ...given, host: '127.0.0.1' }, rest.find((a) => typeof a === 'function'))
}

// There is no setting for how long access tokens last.
function shortenAccess(lifetime) {
  const tokens = load('@atproto/pds/dist/account-manager/helpers/auth.js')
  const create = tokens.createAccessToken
  tokens.createAccessToken = (options) => create({ ...options, expiresIn: lifetime })
}

function settings() {
  return {
    devMode: true, // plain HTTP
    hostname: 'localhost',
    port: Number(port),
    dataDirectory: dir,
    blobstoreDiskLocation: path.join(dir, 'blobs'),
    didPlcUrl: `http://127.0.0.1:${plcPort}`,
    serviceHandleDomains: ['.test'],
    inviteRequired: false,
    disableSsrfProtection: true, // the directory is on loopback
    rateLimitsEnabled: false,
    crawlers: [],
    bskyAppViewUrl: 'http://appview.invalid',
    bskyAppViewDid: 'did:web:appview.invalid',
    modServiceUrl: 'http://moderation.invalid',
    modServiceDid: 'did:web:moderation.invalid',
    jwtSecret,
    adminPassword: crypto.randomBytes(16).toString('hex'),
    plcRotationKeyK256PrivateKeyHex: crypto.randomBytes(32).toString('hex'),
  }
}

async function call(method, body, token) {
  const headers = { 'content-type': 'application/json' }
  if (token) headers.authorization = `Bearer ${token}`
  const answer = await fetch(`${url}/xrpc/${method}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method}: HTTP ${answer.status}: ${text}`)
  return JSON.parse(text)
}

async function main() {
  if (process.env.ACCESS_TTL) shortenAccess(process.env.ACCESS_TTL)
  const { PDS, envToCfg, envToSecrets } = load('@atproto/pds')
  const { PlcServer, Database } = load('@did-plc/server')

  const plc = PlcServer.create({ db: Database.mock(), port: Number(plcPort) })
  await plc.start()
  const env = settings()
  const pds = await PDS.create(envToCfg(env), envToSecrets(env))
  await pds.start()
  const stop = async () => {
    await Promise.allSettled([pds.destroy(), plc.destroy()])
    process.exit(0)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)

  const { did, accessJwt } = await call('com.atproto.server.createAccount', account)
  const { password } = await call('com.atproto.server.createAppPassword', { name: 'schedctl' }, accessJwt)
  const ready = {
    url, did, handle: account.handle, password: account.password, app_password: password, jwt_secret: jwtSecret,
    admin_password: env.adminPassword,
  }
  fs.writeFileSync(path.join(dir, 'ready.tmp'), JSON.stringify(ready))
  fs.renameSync(path.join(dir, 'ready.tmp'), path.join(dir, 'ready.json'))
}

main().catch((reason) => {
  console.error(reason)
  process.exit(1)
})
