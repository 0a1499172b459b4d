//! A server's token: who has it once in the address gets a cookie, and needs it in no address any more.

use crate::request::Request;
use crate::response::{Response, text};

/// The door that a token opens.
pub(crate) struct Door {
    token: String,
    /// The cookie's name; cookies of one host are shared by all its ports, so the port is in it.
    cookie: String,
    /// True where the cookie may only be sent back with TLS.
    secure: bool,
}

impl Door {
    pub(crate) fn new(token: String, port: u16, secure: bool) -> Self {
        let cookie = format!("plimsoll-{port}");
        Door {
            token,
            cookie,
            secure,
        }
    }

    /// The answer to who has no token, or who has it in the address.
    pub(crate) fn refuse(&self, request: &Request) -> Option<Response> {
        let pairs = request.pairs();
        if let Some((_, said)) = pairs.iter().find(|(name, _)| name == "token")
            && self.is_it(said)
        {
            return Some(self.let_in(request));
        }
        let bearer = request.authorization.as_deref();
        let bearer = bearer.and_then(|a| a.strip_prefix("Bearer "));
        let cookies = request.cookie.as_deref().unwrap_or_default();
        let mut cookies = cookies.split(';').filter_map(|c| c.trim().split_once('='));
        let shown = cookies.any(|(name, value)| name == self.cookie && self.is_it(value));
        match shown || bearer.is_some_and(|b| self.is_it(b.trim())) {
            true => None,
            false => Some(Response {
                status: "401 Unauthorized",
                ..text(
                    "text/plain; charset=utf-8",
                    "This page is for those who have its token: open the address that the server printed when it started.\n"
                        .to_owned(),
                )
            }),
        }
    }

    /// Hands over the cookie, and leads to the same place without the token, which would stay in the browser's history.
    fn let_in(&self, request: &Request) -> Response {
        let secure = if self.secure { "; Secure" } else { "" };
        let (name, token) = (&self.cookie, &self.token);
        // Lax, not Strict: who follows the address from a web mail is led on here, and that cookie has to come along.
        let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Lax{secure}");
        // Two slashes at its beginning would lead to another host; to a browser a backslash is one too.
        let here = request.path.trim_start_matches(['/', '\\']);
        let headers = vec![("Set-Cookie", cookie), ("Location", format!("/{here}"))];
        Response {
            status: "303 See Other",
            headers,
            ..text("text/plain", String::new())
        }
    }

    /// True for the token. Each of its bytes is looked at, so that the time tells nothing of how many were right.
    fn is_it(&self, said: &str) -> bool {
        let (token, said) = (self.token.as_bytes(), said.as_bytes());
        let different = token.iter().zip(said).fold(0, |sum, (a, b)| sum | (a ^ b));
        token.len() == said.len() && different == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(query: &str, cookie: Option<&str>, authorization: Option<&str>) -> Request {
        Request {
            path: "/record/7".to_owned(),
            query: query.to_owned(),
            cookie: cookie.map(str::to_owned),
            authorization: authorization.map(str::to_owned),
            ..Request::default()
        }
    }

    #[test]
    fn who_has_the_token_in_one_of_three_places_is_let_in_and_nobody_else() {
        let door = Door::new("s3cret".to_owned(), 80, true);
        let status = |query: &str, cookie: Option<&str>, authorization: Option<&str>| {
            let answer = door.refuse(&request(query, cookie, authorization));
            answer.map_or(200, |r| r.status[..3].parse().unwrap())
        };
        assert_eq!(status("", Some("a=b; plimsoll-80=s3cret"), None), 200);
        assert_eq!(status("", None, Some("Bearer s3cret")), 200);
        assert_eq!(status("q=x&token=s3cret", None, None), 303);
        for (query, cookie, authorization) in [
            ("", None, None),
            ("token=", None, None),
            ("token=s3cre", None, None),
            ("token=s3cret1", None, None),
            ("", Some("plimsoll-81=s3cret"), None),
            ("", Some("plimsoll-80=s3crex"), None),
            ("", None, Some("s3cret")),
            ("", None, Some("Bearer ")),
        ] {
            assert_eq!(
                status(query, cookie, authorization),
                401,
                "{query} {cookie:?}"
            );
        }
    }

    #[test]
    fn the_cookie_is_kept_from_scripts_and_from_other_sites_and_the_token_from_the_address() {
        let door = Door::new("s3cret".to_owned(), 80, true);
        let answer = door.refuse(&request("token=s3cret", None, None)).unwrap();
        let head = answer.head();
        assert!(head.contains(
            "Set-Cookie: plimsoll-80=s3cret; Path=/; HttpOnly; SameSite=Lax; Secure\r\n"
        ));
        assert!(head.contains("Location: /record/7\r\n"), "{head}");
        for path in ["//evil.example/", "/\\evil.example/", "\\\\/evil.example/"] {
            let elsewhere = Request {
                path: path.to_owned(),
                ..request("token=s3cret", None, None)
            };
            let head = door.refuse(&elsewhere).unwrap().head();
            assert!(head.contains("Location: /evil.example/\r\n"), "{head}");
        }
    }
}
