import CapsuleCore

/// The decision about a token service that a registry names in a challenge: may it be asked, and may it see the credentials?
///
/// A registry that someone else controls, or a changed answer of an honest one, could name any address as its token service. So the
/// service gets credentials only if its host is the registry's, belongs to it as far as is known, or was named by the user.
package enum TrustedRealm: Hashable, Sendable {
    /// It may see the credentials.
    case accepted(WebAddress)
    /// It may be asked without credentials only, for this reason.
    case anonymous(WebAddress, reason: String)
    /// It must not be asked.
    case refused(reason: String)

    /// - Parameters:
    ///   - realm: the URL in the challenge.
    ///   - registry: the origin that sent the challenge.
    ///   - named: the value of `CAPSULE_TRUST_REALM`: hosts, separated by commas or spaces.
    package init(_ realm: String, of registry: WebAddress.Origin, named: String = "") {
        let address: WebAddress
        do throws(CapsuleError) {
            address = try WebAddress(parsing: realm)
        } catch {
            self = .refused(reason: "the registry names a token service by an invalid address: \(error.message)")
            return
        }
        let host = address.host
        if !registry.maySend(to: address) {
            let how = registry.scheme == .https ? "reached by https" : "on this machine"
            self = .refused(reason: "the registry is \(how), but its token service '\(host)' is not")
        } else if host == registry.host {
            self = .accepted(address)
        } else if named.split(whereSeparator: { $0 == "," || $0 == " " }).contains(where: { $0.lowercased() == host }) {
            self = .accepted(address)
        } else if Self.isLocal(host) {
            self = .refused(
                reason: "the registry names '\(host)' as its token service, which is a private address; "
                    + "CAPSULE_TRUST_REALM=\(host) allows it")
        } else if Self.pairs[registry.host] == host || Self.haveSameOwner(host, registry.host) {
            self = .accepted(address)
        } else {
            self = .anonymous(
                address,
                reason: "the token service '\(host)' is not known to belong to the registry, so it got no credentials; "
                    + "CAPSULE_TRUST_REALM=\(host) says that it does")
        }
    }

    /// Registries with a token service on another host.
    private static let pairs = ["registry-1.docker.io": "auth.docker.io", "registry.gitlab.com": "gitlab.com"]

    /// Returns true for hosts that don't lead to the public network, and for such that systems read in different ways.
    private static func isLocal(_ host: String) -> Bool {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return IPAddress(host: name)?.isLocal
            ?? (IPAddress.isUnusual(name) || name == "localhost" || name.hasSuffix(".localhost"))
    }

    /// Returns true if both hosts are in a domain that only one owner gives names in.
    private static func haveSameOwner(_ left: String, _ right: String) -> Bool {
        let (left, right) = (labels(of: left), labels(of: right))
        guard left.count >= 3, right.count >= 3 else { return false }
        let common = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.map(\.0)
        guard common.count >= 2, !common.contains("") else { return false }
        if common.count == 2, common[0].utf8.count == 2, secondLevels.contains(common[1]) { return false }
        // The owners of these domains give names in them, at any depth, to everyone.
        return !sharedDomains.contains { zone in
            let zone = zone.split(separator: ".").reversed().map { String($0) }
            return common.starts(with: zone)
        }
    }

    /// The labels of a name, none for an IP address.
    private static func labels(of host: String) -> [String] {
        if IPAddress(host: host) != nil { return [] }
        return host.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    }

    /// The labels below a country's domain under which names are registered, as in `co.uk`.
    static let secondLevels: Set<String> = [
        "ac", "asn", "asso", "co", "com", "edu", "firm", "gen", "go", "gob", "gouv", "gov", "govt", "gv", "id", "ind", "info",
        "lg",
        "ltd", "me", "mil", "muni", "ne", "net", "nhs", "nic", "nom", "or", "org", "plc", "police", "pp", "presse", "pvt", "res",
        "sch", "school", "tm", "web",
    ]

    /// The domains in which everyone can have a name.
    static let sharedDomains = [
        // Registries with a host for each customer.
        "azurecr.cn", "azurecr.io", "azurecr.us", "jfrog.io", "oraclecloud.com", "scw.cloud",
        // Clouds and their storage.
        "aliyuncs.com", "amazonaws.com", "amazonaws.com.cn", "appspot.com", "awsapprunner.com", "azure.com", "azureedge.net",
        "azurefd.net", "azurewebsites.net", "backblazeb2.com", "cloudapp.net", "cloudfront.net", "cloudfunctions.net",
        "digitaloceanspaces.com", "elasticbeanstalk.com", "googleapis.com", "linodeobjects.com", "myhuaweicloud.com",
        "myqcloud.com",
        "on.aws", "ondigitalocean.app", "pkg.dev", "r2.dev", "run.app", "wasabisys.com", "windows.net",
        // Hosting of pages and programs.
        "blogspot.com", "deno.dev", "firebaseapp.com", "fly.dev", "github.dev", "github.io", "githubusercontent.com", "gitlab.io",
        "glitch.me", "herokuapp.com", "hf.space", "netlify.app", "onrender.com", "pages.dev", "railway.app", "readthedocs.io",
        "repl.co", "replit.dev", "surge.sh", "vercel.app", "web.app", "workers.dev",
        // Names for machines at home, and tunnels to them.
        "ddns.net", "duckdns.org", "dyndns.org", "localtunnel.me", "ngrok-free.app", "ngrok.app", "ngrok.dev", "ngrok.io",
        "nip.io",
        "no-ip.org", "sslip.io", "trycloudflare.com", "ts.net",
        // Domains that are sold like those of countries.
        "br.com", "cn.com", "de.com", "eu.com", "eu.org", "gb.net", "jpn.com", "ru.com", "sa.com", "se.net", "uk.com", "uk.net",
        "us.com", "za.com",
    ]
}
